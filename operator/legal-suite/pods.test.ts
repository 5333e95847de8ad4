import { describe, expect, test } from 'vitest'
import { eventually, names, startOperator, startReadySuite } from '../testing/fixtures.ts'
import { createPod, waiting } from '../testing/pods.ts'

const warningReasons = async (at: ReturnType<typeof startOperator>) =>
  (await at.events()).filter(({ type }) => type === 'Warning').map(({ reason }) => reason)

describe('problems of pods', () => {
  test('a mistyped version stalls with ImagePullBackOff of the migration', async () => {
    const at = startOperator()
    await at.secret('db', { url: 'postgres://x' })
    await at.suite({ version: '9.9.9-typo' })
    await eventually(() => expect(names(at, 'Job')).toHaveLength(1))
    const status = waiting('migrate', 'ImagePullBackOff', 'legal-suite:9.9.9-typo not found')
    await createPod(at, 'migrate', status, at.list('Job')[0])
    await eventually(() => expect(at.ready()).toMatchObject({ reason: 'ImagePullBackOff' }))
    expect(at.ready()!.message).toContain('9.9.9-typo not found')
    expect(at.get('LegalSuite', 'demo').status.phase).toBe('Stalled')
    expect(await warningReasons(at)).toContain('ImagePullBackOff')
  })

  test('the last log lines of a failing migration are in status while it still retries', async () => {
    const at = startOperator()
    await at.secret('db', { url: 'postgres://x' })
    await at.suite()
    await eventually(() => expect(names(at, 'Job')).toHaveLength(1))
    const [job] = at.list('Job')
    const message = 'applying memory/0007.sql\nrelation "facts" is missing\n'
    const terminated = { reason: 'Error', exitCode: 1, message }
    const failed = {
      phase: 'Failed',
      containerStatuses: [{ name: 'migrate', ready: false, state: { terminated } }],
    }
    const pod = await createPod(at, 'migrate', failed, job)
    await eventually(() => expect(at.ready()?.message).toContain('relation "facts" is missing'))
    expect(at.ready()?.reason).toBe('Migrating')
    await at.remove('Pod', pod.metadata.name)
    const conditions = [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }]
    await at.patch('Job', job.metadata.name, { status: { conditions } }, 'status')
    await eventually(() => expect(at.ready()?.reason).toBe('MigrationFailed'))
    expect(at.ready()?.message).toContain('relation "facts" is missing')
    expect(await warningReasons(at)).toContain('MigrationFailed')
  })

  test('a crash-looping new pod is named although the old pods are ready', async () => {
    const at = await startReadySuite({ services: { memory: { replicas: 2 } } })
    await at.patch('LegalSuite', 'demo', { spec: { version: '2.0.0' } })
    await eventually(async () => {
      await at.settle(/migrate/)
      expect(at.get('Deployment', 'demo-memory').metadata.generation).toBe(2)
    })
    const { generation } = at.get('Deployment', 'demo-memory').metadata
    const rolling = {
      observedGeneration: generation,
      replicas: 3,
      updatedReplicas: 1,
      readyReplicas: 2,
      availableReplicas: 2,
      conditions: null,
    }
    await at.patch('Deployment', 'demo-memory', { status: rolling }, 'status')
    await at.settle(/platform|files/)
    await eventually(() =>
      expect(at.ready()?.message).toBe(
        'waiting for memory: 1 of 2 pods are updated, 2 of 2 are available',
      ),
    )
    await createPod(at, 'memory', waiting('memory', 'CrashLoopBackOff'))
    await eventually(() => expect(at.ready()).toMatchObject({ reason: 'CrashLoopBackOff' }))
    expect(at.get('LegalSuite', 'demo').status.services).toContainEqual(
      expect.objectContaining({ name: 'memory', message: expect.stringContaining('CrashLoop') }),
    )
    expect(await warningReasons(at)).toContain('CrashLoopBackOff')
  })

  test('an unschedulable backend is named in BackendsReady and in an Event', async () => {
    const at = await startReadySuite({ search: { type: 'Managed' } })
    await at.patch('StatefulSet', 'demo-qdrant', { status: { readyReplicas: 0 } }, 'status')
    const message = '0/1 nodes are available: 1 Insufficient memory'
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }]
    await createPod(at, 'qdrant', { phase: 'Pending', conditions })
    await eventually(() => {
      const { status } = at.get('LegalSuite', 'demo')
      const backends = status.conditions.find(({ type }: any) => type === 'BackendsReady')
      expect(backends.message).toContain('Insufficient memory')
    })
    expect(await warningReasons(at)).toContain('Unschedulable')
  })

  test('an embedded database that cannot start is the reason, not the rollout', async () => {
    const at = startOperator()
    await at.suite({ database: { type: 'Embedded' } })
    await eventually(() => expect(at.ready()?.reason).toBe('DatabaseNotReady'))
    await createPod(at, 'postgres', waiting('postgres', 'ImagePullBackOff', 'no such image'))
    await eventually(() => expect(at.ready()?.reason).toBe('ImagePullBackOff'))
    expect(at.ready()?.message).toContain('no such image')
  })

  test('a probe that does not succeed is named within 30 seconds, once', async () => {
    const at = await startReadySuite()
    await at.patch('Deployment', 'demo-matter', { status: { availableReplicas: 0 } }, 'status')
    const startedAt = new Date(Date.now() - 19_500).toISOString()
    await createPod(at, 'matter', {
      phase: 'Running',
      containerStatuses: [
        { name: 'matter', ready: false, started: true, state: { running: { startedAt } } },
      ],
    })
    await eventually(() => expect(at.ready()).toMatchObject({ reason: 'ProbeFailing' }))
    expect((await warningReasons(at)).filter((reason) => reason === 'ProbeFailing')).toHaveLength(1)
  })

  test('an evicted pod that was replaced neither stalls the suite nor stays in its status', async () => {
    const at = await startReadySuite()
    const evicted = { phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' }
    await createPod(at, 'matter', evicted)
    await createPod(at, 'matter', { phase: 'Pending' })
    await at.patch('Deployment', 'demo-matter', { status: { availableReplicas: 0 } }, 'status')
    await eventually(() => expect(at.ready()?.status).toBe('False'))
    expect(at.ready()).toMatchObject({ reason: 'RollingOut' })
    await at.settle()
    await eventually(() => expect(at.ready()?.status).toBe('True'))
    const { services } = at.get('LegalSuite', 'demo').status
    expect(services.find(({ name }: any) => name === 'matter').message).toBeUndefined()
  })

  test('a hibernated suite is reported when its pods are gone', async () => {
    const at = await startReadySuite()
    const running = { phase: 'Running', containerStatuses: [{ name: 'memory', ready: true }] }
    const pod = await createPod(at, 'memory', running)
    await at.patch('LegalSuite', 'demo', { spec: { hibernated: true } })
    await eventually(async () => {
      await at.settle()
      expect(at.ready()).toMatchObject({ status: 'False', reason: 'Hibernating' })
    })
    expect(at.ready()?.message).toBe('waiting for 1 pod to terminate')
    await at.remove('Pod', pod.metadata.name)
    await eventually(() => expect(at.ready()).toMatchObject({ reason: 'Hibernated' }))
  })
})
