import { afterEach, expect, test } from 'vitest'
import type { LegalSuiteSpec } from '../../operator/api/legal-suite.ts'
import { type Harness, makeHarness } from '../../operator/testing/harness.ts'
import { renderChart, withoutHelm } from './testing/helm.ts'

let harness: Harness
afterEach(() => harness?.stop())

const spec: Partial<LegalSuiteSpec> = {
  version: '1.2.3',
  environment: 'staging',
  gateway: { host: 'legal.example.com', ingress: {} },
  database: { type: 'Embedded' },
  search: { type: 'Managed', managed: { replicas: 2 } },
  services: { memory: { replicas: 2, env: [{ name: 'LOG_LEVEL', value: 'debug' }] } },
  seeds: { packageIds: ['platform_defaults'] },
  monitoring: { enabled: false },
}

const specsOf = (kind: string) =>
  Object.fromEntries(harness.list(kind).map(({ metadata, spec }) => [metadata.name, spec]))

test.skipIf(withoutHelm)(
  'the operator adopts a release that is handed over without changing a pod, a volume or a Secret',
  async () => {
    harness = makeHarness()
    const release = renderChart('legal-suite', { ...spec, handOver: true })
    for (const object of release.filter(({ kind }) => kind !== 'Pod')) await harness.create(object)
    await harness.settle()
    const kinds = ['Deployment', 'StatefulSet', 'PersistentVolumeClaim', 'Job']
    const before = kinds.map(specsOf)
    const secrets = harness.list('Secret').map(({ metadata, data }) => [metadata.name, data])
    expect(secrets.length).toBeGreaterThan(3)

    await harness.suite(spec)
    await expect
      .poll(async () => {
        await harness.settle()
        return harness.ready()
      })
      .toMatchObject({ status: 'True' })

    expect(kinds.map(specsOf)).toEqual(before)
    expect(harness.list('Secret').map(({ metadata, data }) => [metadata.name, data])).toEqual(
      secrets,
    )
    const deployments = harness.list('Deployment')
    expect(deployments).toHaveLength(9)
    for (const { metadata } of deployments)
      expect(metadata.labels['app.kubernetes.io/managed-by']).toBe('legal-suite-operator')
  },
)

test.skipIf(withoutHelm)(
  'the operator leaves a release alone that is not handed over',
  async () => {
    harness = makeHarness()
    const release = renderChart('legal-suite', spec)
    for (const object of release.filter(({ kind }) => kind !== 'Pod')) await harness.create(object)
    await harness.suite(spec)
    await expect.poll(() => harness.ready()).toMatchObject({ reason: 'ForeignObject' })
    for (const { metadata } of harness.list('Deployment'))
      expect(metadata.labels['app.kubernetes.io/managed-by']).toBe('Helm')
  },
)
