import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../runtime/objects.ts'
import { suites } from '../testing/arbitrary.ts'
import { schemaKinds, schemaViolations } from '../testing/crd-schema.ts'
import { buildSuite, fullSpec } from '../testing/suites.ts'
import { desired } from './index.ts'

const facts = { secrets: new Map<string, string>(), operatorNamespace: 'operators' }
const { ingress: _, tls: __, ...gateway } = fullSpec.gateway!
const suite = buildSuite({
  ...fullSpec,
  database: {
    type: 'CloudNativePG',
    cloudNativePG: { instances: 3, storage: { size: '1Gi', storageClassName: 'fast' } },
  },
  gateway: {
    ...gateway,
    httpRoute: { parentRef: { name: 'edge', namespace: 'edges', sectionName: 'https' } },
  },
})
const seed = Number(process.env.SCHEMAS_SEED ?? 1)

const optionalObjects = (objects: KubeObject[]) =>
  objects.filter(({ kind }) => schemaKinds.includes(kind))

test('objects of optional APIs satisfy the schemas of their CRDs', () => {
  const objects = optionalObjects(desired(suite, facts))
  expect(new Set(objects.map(({ kind }) => kind))).toEqual(
    new Set(['Cluster', 'HTTPRoute', 'ServiceMonitor']),
  )
  for (const object of objects) expect(schemaViolations(object)).toEqual([])
})

test('objects of optional APIs of random suites satisfy the schemas of their CRDs', () => {
  const counts: Record<string, number> = {}
  fc.assert(
    fc.property(suites, (suite) => {
      for (const object of optionalObjects(desired(suite, facts))) {
        counts[object.kind] = (counts[object.kind] ?? 0) + 1
        expect(schemaViolations(object)).toEqual([])
      }
    }),
    { numRuns: 100, seed },
  )
  for (const kind of ['Cluster', 'HTTPRoute', 'ServiceMonitor']) {
    expect(counts[kind], kind).toBeGreaterThan(0)
  }
})

test('the monitoring manifests of the operator satisfy the schemas of their CRDs', () => {
  const file = new URL('../deploy/monitoring/service-monitor.yaml', import.meta.url)
  const objects = parseAllDocuments(readFileSync(file, 'utf8')).map((each) => each.toJS())
  expect(objects.map(({ kind }) => kind).sort()).toEqual(['PrometheusRule', 'ServiceMonitor'])
  for (const object of objects) expect(schemaViolations(object)).toEqual([])
})

test.each(['Cluster', 'HTTPRoute', 'ServiceMonitor'])(
  'a misspelled field, a wrong type and a missing field of a %s are found',
  (kind) => {
    const object = desired(suite, facts).find((each) => each.kind === kind)!
    const spec = object.spec as Record<string, unknown>
    expect(schemaViolations({ ...object, spec: { ...spec, mispelled: 1 } })).toHaveLength(1)
    const [first] = Object.keys(spec)
    expect(schemaViolations({ ...object, spec: { ...spec, [first!]: true } })).not.toEqual([])
    const { spec: _, ...withoutSpec } = object
    expect(schemaViolations(withoutSpec as KubeObject)).not.toEqual([])
  },
)
