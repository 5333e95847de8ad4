import { describe, expect, test } from 'vitest'
import type { LegalSuiteSpec } from '../api/legal-suite.ts'
import { containersOf, find, podOf } from '../testing/queries.ts'
import { fullSpec, suiteOf } from '../testing/suites.ts'
import { restartAnnotation } from './common.ts'
import { desired } from './index.ts'

const podsOf = (spec: Partial<LegalSuiteSpec>, annotations = {}) =>
  desired(suiteOf(spec, { annotations })).flatMap((each) => podOf(each) ?? [])

describe('pod settings', () => {
  test('services, backends and the migration get all settings of the suite', () => {
    const pods = podsOf(fullSpec)
    expect(pods.length).toBeGreaterThan(10)
    for (const { metadata, spec } of pods) {
      expect(spec).toMatchObject({
        imagePullSecrets: [{ name: 'registry' }],
        priorityClassName: 'legal',
        nodeSelector: { pool: 'legal' },
        affinity: { nodeAffinity: {} },
      })
      expect(spec.tolerations).toHaveLength(1)
      expect(metadata.labels.team).toBe('legal')
      expect(metadata.annotations['example.com/scan']).toBe('yes')
      expect(spec.volumes).toContainEqual({
        name: 'extra-ca',
        secret: { secretName: 'database-ca' },
      })
      for (const { volumeMounts } of containersOf({ metadata, spec }))
        expect(volumeMounts).toContainEqual({
          name: 'extra-ca',
          mountPath: '/etc/ca',
          readOnly: true,
        })
    }
  })

  test('labels of the operator have priority over additional labels', () => {
    const [pod] = podsOf({ pods: { labels: { 'legalsuite.dev/suite': 'other' } } })
    expect(pod!.metadata.labels['legalsuite.dev/suite']).toBe('demo')
  })

  test('a service overrides tolerations and extends the node selector', () => {
    const objects = desired(suiteOf(fullSpec))
    const { spec } = podOf(find(objects, 'Deployment', 'demo-consultations'))!
    expect(spec.tolerations).toEqual(fullSpec.services!.consultations!.tolerations)
    expect(spec.nodeSelector).toEqual({ pool: 'legal', 'kubernetes.io/arch': 'amd64' })
  })

  test('assigned user ids leave no fixed id and keep the pod non-root', () => {
    for (const { spec } of podsOf({ ...fullSpec, pods: { userIds: 'Assigned' } })) {
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true })
      for (const name of ['runAsUser', 'runAsGroup', 'fsGroup'])
        expect(spec.securityContext).not.toHaveProperty(name)
    }
  })

  test('a new restartedAt annotation of the suite changes every pod template', () => {
    const [before, after] = [
      podsOf({}, { [restartAnnotation]: 'a' }),
      podsOf({}, { [restartAnnotation]: 'b' }),
    ]
    for (const [index, pod] of after.entries()) expect(pod).not.toEqual(before[index])
  })

  test('the Deno runtime uses the Deno image', () => {
    const image = (spec: Partial<LegalSuiteSpec>) =>
      podOf(find(desired(suiteOf(spec)), 'Deployment', 'demo-memory'))!.spec.containers[0].image
    expect(image({ runtime: 'Deno' })).toBe('legal-suite:1.2.3-deno')
    expect(image({ runtime: 'Node' })).toBe('legal-suite:1.2.3')
    const pinned = `legal-suite@sha256:${'0'.repeat(64)}`
    expect(image({ runtime: 'Deno', image: pinned })).toBe(pinned)
  })

  test('the gateway is probed at its public health path', () => {
    const { readinessProbe } = podOf(
      find(desired(suiteOf(fullSpec)), 'Deployment', 'demo-gateway'),
    )!.spec.containers[0]
    expect(readinessProbe.httpGet.path).toBe('/healthz')
  })
})
