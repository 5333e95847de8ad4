import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { desired } from '../../operator/desired/index.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'
import { buildSuite, fullSpec, minimalSpec } from '../../operator/testing/suites.ts'
import { renderChart, withoutHelm } from '../../packaging/chart/testing/helm.ts'
import { manifest } from './definitions.ts'
import { binaries } from './local-scripts.ts'

const run = promisify(execFile)
const schemasScript = resolve(import.meta.dirname, '../../../shared/cluster/schemas.sh')
const missing = ['kubeconform', 'kube-score', 'kubectl'].filter(
  (name) => !existsSync(join(binaries, name)),
)
if (missing.length > 0) console.log(`skipped: ${missing.join(', ')} not found in ${binaries}`)

const facts = {
  secrets: new Map<string, string>(),
  operatorNamespace: 'operators',
}
const shipped = ['1-service-account', '2-role', '3-role-binding', '4-deployment']
const sets: Record<string, KubeObject[]> = {
  'a default suite': desired(buildSuite(), facts),
  'a suite that says everything': desired(buildSuite(fullSpec), facts),
  'a suite with databases of others': desired(
    buildSuite({
      database: { type: 'CloudNativePG', cloudNativePG: { storage: { size: '1Gi' } } },
      gateway: {
        ...fullSpec.gateway!,
        ingress: undefined,
        tls: undefined,
        httpRoute: { parentRef: { name: 'edge' } },
      } as never,
    }),
    facts,
  ),
  'the operator': shipped.flatMap((file) => manifest(`operator/deploy/${file}.yaml`)),
}

if (withoutHelm) console.log(`skipped: rendered charts: ${withoutHelm}`)
const { paused: _, ...fullValues } = fullSpec
const render = (chart: string, values: object) =>
  // The API server itself checks the definitions, in another test.
  renderChart(chart, values).filter(({ kind }) => kind !== 'CustomResourceDefinition')
const rendered: Record<string, KubeObject[]> = withoutHelm
  ? {}
  : {
      'the chart with default values': render('legal-suite', {}),
      'the chart with an external database': render('legal-suite', minimalSpec),
      'the chart with every value': render('legal-suite', {
        ...fullValues,
        dashboards: { enabled: true },
        handOver: true,
      }),
      'the chart of the operator': render('legal-suite-operator', {}),
      'the chart of the operator for all namespaces': render('legal-suite-operator', {
        watch: { scope: 'Cluster' },
      }),
    }
const allSets = { ...sets, ...rendered }

/** Kinds of other projects without a local schema. */
const others = ['Cluster', 'HTTPRoute', 'PrometheusRule', 'ServiceMonitor']

type Exclusion = { check: string; objects?: string; why: string }
const { exclusions }: { exclusions: Exclusion[] } = parse(
  readFileSync(join(import.meta.dirname, 'kube-score.yaml'), 'utf8'),
)

interface Scored {
  object_name: string
  checks: {
    check: { id: string }
    grade: number
    skipped: boolean
    comments: { summary: string }[] | null
  }[]
}

describe.skipIf(missing.length > 0)('manifests', () => {
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-manifests-'))
  const files = new Map<string, string>()
  beforeAll(async () => {
    const env = {
      ...process.env,
      KUBECONFIG: process.env.TEST_KUBECONFIG!,
      PATH: `${binaries}:${process.env.PATH}`,
    }
    await run(schemasScript, [join(directory, 'schemas')], { env })
    Object.entries(allSets).forEach(([name, objects], index) => {
      const file = join(directory, `${index}.yaml`)
      writeFileSync(file, objects.map((each) => JSON.stringify(each)).join('\n---\n'))
      files.set(name, file)
    })
  }, 120_000)
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  test.each(Object.keys(allSets))('%s: all fields are in the API schema', async (name) => {
    const location = `${directory}/schemas/{{.ResourceKind}}{{.KindSuffix}}.json`
    const skip = others.join(',')
    const args = [
      '-strict',
      '-summary',
      '-output',
      'json',
      '-skip',
      skip,
      '-schema-location',
      location,
    ]
    const { stdout } = await run(join(binaries, 'kubeconform'), [...args, files.get(name)!]).catch(
      (error: { stdout: string }) => error,
    )
    const { resources = [], summary } = JSON.parse(stdout)
    expect(resources).toEqual([])
    const checked = allSets[name]!.filter(({ kind }) => !others.includes(kind))
    expect(summary).toMatchObject({ invalid: 0, errors: 0, valid: checked.length })
  })

  const used = new Set<Exclusion>()

  test.each(Object.keys(sets))('%s: kube-score reports only justified findings', async (name) => {
    const args = ['score', '--output-format', 'json', '--kubernetes-version', 'v1.34']
    const { stdout } = await run(join(binaries, 'kube-score'), [...args, files.get(name)!], {
      maxBuffer: 64 * 2 ** 20,
    }).catch((error: { stdout: string }) => error)
    const scored: Scored[] = JSON.parse(stdout)
    expect(scored.length).toBeGreaterThan(0)
    const left = scored.flatMap(({ object_name, checks }) =>
      checks
        .filter(({ grade, skipped }) => !skipped && grade < 7)
        .filter(({ check }) => {
          const exclusion = exclusions.find(
            (each) => each.check === check.id && new RegExp(each.objects ?? '').test(object_name),
          )
          if (exclusion) used.add(exclusion)
          return !exclusion
        })
        .map(({ check, comments }) => `${object_name}: ${check.id}: ${comments?.[0]?.summary}`),
    )
    expect(left).toEqual([])
  })

  test('every exclusion is needed and justified', () => {
    for (const { why } of exclusions) expect(why.length).toBeGreaterThan(30)
    expect(exclusions.filter((each) => !used.has(each))).toEqual([])
  })
})
