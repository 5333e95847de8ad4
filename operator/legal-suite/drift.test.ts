import { describe, expect, test } from 'vitest'
import { condition, eventually, type Staged, startReadySuite } from '../testing/fixtures.ts'

const drift = (at: Staged) => condition(at.get('LegalSuite', 'demo'), 'DriftDetected')
const podSpec = (at: Staged) => at.get('Deployment', 'demo-memory').spec.template.spec
const patchPods = (at: Staged, spec: object) =>
  at.patch('Deployment', 'demo-memory', { spec: { template: { spec } } })
const notes = async (at: Staged) =>
  (await at.events()).filter(({ reason }) => reason === 'DriftDetected').map(({ note }) => note)

describe('fields that others add to a Deployment', () => {
  test('an added environment variable is removed and named in status and Event', async () => {
    const at = await startReadySuite()
    const before = podSpec(at)
    const [container] = before.containers
    const env = [...container.env, { name: 'DEBUG', value: '1' }]
    await patchPods(at, { containers: [{ ...container, env }] })
    await eventually(() => expect(podSpec(at)).toEqual(before))
    await eventually(async () => {
      expect(drift(at)).toMatchObject({ status: 'False', reason: 'Reverted' })
      expect(drift(at)!.message).toContain(
        'Deployment demo-memory: spec.template.spec.containers[memory].env[DEBUG]',
      )
      expect((await notes(at)).join()).toContain('containers[memory].env[DEBUG]')
    })
  })

  test('added containers, volumes and pod fields are removed', async () => {
    const at = await startReadySuite()
    const before = podSpec(at)
    await patchPods(at, {
      containers: [...before.containers, { name: 'sidecar', image: 'evil:1' }],
      volumes: [...before.volumes, { name: 'host', hostPath: { path: '/' } }],
      hostNetwork: true,
      securityContext: { sysctls: 'x' },
    })
    await eventually(() => expect(podSpec(at)).toEqual(before))
    await eventually(() => {
      for (const field of ['containers[sidecar]', 'volumes[host]', 'hostNetwork', 'sysctls'])
        expect(drift(at)?.message).toContain(field)
    })
  })

  test('fields outside of the pod spec stay and are reported until they are gone', async () => {
    const at = await startReadySuite()
    await at.patch('Deployment', 'demo-memory', { spec: { minReadySeconds: 5 } })
    await eventually(() =>
      expect(drift(at)).toMatchObject({ status: 'True', reason: 'FieldsAdded' }),
    )
    expect(drift(at)!.message).toContain('Deployment demo-memory: spec.minReadySeconds')
    expect(at.get('Deployment', 'demo-memory').spec.minReadySeconds).toBe(5)
    await eventually(async () => expect(await notes(at)).toHaveLength(1))
    await at.patch('Deployment', 'demo-memory', { spec: { minReadySeconds: null } })
    await eventually(() => expect(drift(at)).toBeUndefined())
  })

  test('a restart by kubectl is no drift', async () => {
    const at = await startReadySuite()
    const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' }
    await at.patch('Deployment', 'demo-memory', {
      spec: { template: { metadata: { annotations } } },
    })
    await at.patch('Deployment', 'demo-files', { spec: { minReadySeconds: 5 } })
    await eventually(() => expect(drift(at)?.message).toContain('demo-files'))
    expect(drift(at)!.message).not.toContain('demo-memory')
    const { template } = at.get('Deployment', 'demo-memory').spec
    expect(template.metadata.annotations).toMatchObject(annotations)
  })
})
