import { describe, expect, test } from 'vitest'
import type { LegalSuiteSpec } from '../api/legal-suite.ts'
import { allContainers, find, podTemplate } from '../testing/queries.ts'
import { buildSuite, fullSpec } from '../testing/suites.ts'
import { restartAnnotation } from './common.ts'
import { desired } from './index.ts'

const buildPods = (spec: Partial<LegalSuiteSpec>, annotations = {}) =>
  desired(buildSuite(spec, { annotations })).flatMap((each) => podTemplate(each) ?? [])

describe('pod settings', () => {
  test('services, backends and the migration get all settings of the suite', () => {
    const pods = buildPods(fullSpec)
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
      for (const { volumeMounts } of allContainers({ metadata, spec }))
        expect(volumeMounts).toContainEqual({
          name: 'extra-ca',
          mountPath: '/etc/ca',
          readOnly: true,
        })
    }
  })

  test('labels of the operator have priority over additional labels', () => {
    const [pod] = buildPods({ pods: { labels: { 'legalsuite.dev/suite': 'other' } } })
    expect(pod!.metadata.labels['legalsuite.dev/suite']).toBe('demo')
  })

  test('a service overrides tolerations and extends the node selector', () => {
    const objects = desired(buildSuite(fullSpec))
    const { spec } = podTemplate(find(objects, 'Deployment', 'demo-consultations'))!
    expect(spec.tolerations).toEqual(fullSpec.services!.consultations!.tolerations)
    expect(spec.nodeSelector).toEqual({ pool: 'legal', 'kubernetes.io/arch': 'amd64' })
  })

  test('assigned user ids leave no fixed id and keep the pod non-root', () => {
    for (const { spec } of buildPods({ ...fullSpec, pods: { userIds: 'Assigned' } })) {
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true })
      for (const name of ['runAsUser', 'runAsGroup', 'fsGroup'])
        expect(spec.securityContext).not.toHaveProperty(name)
    }
  })

  test('a new restartedAt annotation of the suite changes every pod template', () => {
    const [before, after] = [
      buildPods({}, { [restartAnnotation]: 'a' }),
      buildPods({}, { [restartAnnotation]: 'b' }),
    ]
    for (const [index, pod] of after.entries()) expect(pod).not.toEqual(before[index])
  })

  test('the Deno runtime uses the Deno image', () => {
    const image = (spec: Partial<LegalSuiteSpec>) =>
      podTemplate(find(desired(buildSuite(spec)), 'Deployment', 'demo-memory'))!.spec.containers[0]
        .image
    expect(image({ runtime: 'Deno' })).toBe('legal-suite:1.2.3-deno')
    expect(image({ runtime: 'Node' })).toBe('legal-suite:1.2.3')
    const pinned = `legal-suite@sha256:${'0'.repeat(64)}`
    expect(image({ runtime: 'Deno', image: pinned })).toBe(pinned)
  })

  test('the gateway is ready with its health path and alive without the database', () => {
    const { readinessProbe, livenessProbe } = podTemplate(
      find(desired(buildSuite(fullSpec)), 'Deployment', 'demo-gateway'),
    )!.spec.containers[0]
    expect(readinessProbe.httpGet.path).toBe('/healthz')
    expect(livenessProbe.httpGet).toBeUndefined()
  })
})
