import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LegalSuiteSpec } from '../../operator/api/legal-suite.ts'
import type { Facts } from '../../operator/desired/common.ts'
import { generatedSecrets } from '../../operator/desired/generated-secrets.ts'
import { desired } from '../../operator/desired/index.ts'
import { secretDigest } from '../../operator/desired/secret-digest.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'
import { suites } from '../../operator/testing/arbitrary.ts'
import { propertySeed } from '../../operator/testing/property-seed.ts'
import { buildSuite, fullSpec } from '../../operator/testing/suites.ts'
import { renderChart, withoutHelm } from './testing/helm.ts'

type Secret = KubeObject & { data: Record<string, string> }
type Suite = ReturnType<typeof buildSuite>

const toValues = ({ paused: _, ...values }: LegalSuiteSpec) => values
const render = ({ metadata, spec }: Suite, more: object = {}) =>
  renderChart('legal-suite', { ...toValues(spec), ...more }, { name: metadata.name })

const isSecret = (object: KubeObject): object is Secret => object.kind === 'Secret'
const isHook = ({ metadata }: KubeObject) => metadata.annotations?.['helm.sh/hook'] !== undefined

/** Objects that only one of both writes. */
const onlyOperator = /^NetworkPolicy\/.*-allow-collector$/
/** Metadata of a release. The operator replaces it when it adopts an object. */
const ofRelease = ['helm.sh/resource-policy', 'legalsuite.dev/adopt']

/** Removes the declared differences. */
function normalize(object: KubeObject): KubeObject {
  const { 'app.kubernetes.io/managed-by': _, ...labels } = object.metadata.labels ?? {}
  const annotations = Object.fromEntries(
    Object.entries(object.metadata.annotations ?? {}).filter(([name]) => !ofRelease.includes(name)),
  )
  const { annotations: __, ...metadata } = object.metadata
  const kept = Object.keys(annotations).length > 0 && { annotations }
  return { ...object, metadata: { ...metadata, labels, ...kept } }
}

const byId = (objects: KubeObject[]) =>
  Object.fromEntries(
    objects.map((each) => [`${each.kind}/${each.metadata.name}`, normalize(each)] as const),
  )

/** What the operator would know of the Secrets that the chart created. */
function collectFacts(rendered: KubeObject[], { metadata }: Suite): Facts {
  const secrets = rendered.filter(isSecret)
  const key = secrets.find(({ metadata: { name } }) => name === `${metadata.name}-checksum-key`)
  const digests = secrets.flatMap(({ metadata: { name }, data }) =>
    Object.entries(data)
      .filter(([, value]) => value)
      .map(([entry, value]) => [`${name}/${entry}`, secretDigest(key!.data.key!, value)] as const),
  )
  return { secrets: new Map(digests), operatorNamespace: 'operators' }
}

function expectParity(suite: Suite) {
  const rendered = render(suite)
  const expected = desired(suite, collectFacts(rendered, suite)).filter(
    ({ kind, metadata }) => !onlyOperator.test(`${kind}/${metadata.name}`),
  )
  const objects = rendered.filter((each) => !isSecret(each) && !isHook(each))
  expect(byId(objects)).toEqual(byId(expected))
  const names = rendered.filter(isSecret).map(({ metadata }) => metadata.name)
  expect(names.sort()).toEqual(
    generatedSecrets(suite)
      .map(({ name }) => name)
      .sort(),
  )
}

describe.skipIf(withoutHelm)(`parity of chart and operator ${withoutHelm ?? ''}`, () => {
  test('the smallest suite and one with every field have the objects of the operator', () => {
    expectParity(buildSuite())
    expectParity(buildSuite({ ...fullSpec, runtime: 'Node' }))
    expectParity(buildSuite(fullSpec))
  })

  test('random suites have the objects of the operator, pod templates and hashes included', () => {
    fc.assert(fc.property(suites, expectParity), {
      numRuns: 12,
      seed: propertySeed,
      endOnFailure: true,
    })
  })

  test('generated Secrets have the entries and labels of the operator', () => {
    const { internalKey: _, ...spec } = fullSpec
    const suite = buildSuite(spec)
    const rendered = render(suite).filter(isSecret)
    for (const { name, labels, values, immutable } of generatedSecrets(suite)) {
      const secret = rendered.find(({ metadata }) => metadata.name === name)!
      expect(Object.keys(secret.data).sort()).toEqual(Object.keys(values(() => '')).sort())
      expect(secret.metadata.labels).toEqual({ ...labels, 'app.kubernetes.io/managed-by': 'Helm' })
      expect(secret.immutable ?? undefined).toBe(immutable)
    }
  })

  test('a release that is handed over can be adopted and is kept when it is uninstalled', () => {
    const rendered = render(buildSuite(fullSpec), { handOver: true }).filter(
      (each) => !isHook(each),
    )
    expect(rendered.length).toBeGreaterThan(50)
    for (const { metadata } of rendered)
      expect(metadata.annotations).toMatchObject({
        'helm.sh/resource-policy': 'keep',
        'legalsuite.dev/adopt': 'true',
      })
  })
})
