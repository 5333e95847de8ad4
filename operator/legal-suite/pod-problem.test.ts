import { describe, expect, test } from 'vitest'
import { type ContainerStatus, type Pod, trimPod } from './pod.ts'
import { podProblem, probeDeadline, probeGraceMs } from './pod-problem.ts'

const startedAt = '2026-11-15T10:00:00Z'
const start = Date.parse(startedAt)

const buildPod = (container: Partial<ContainerStatus>, status: Pod['status'] = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'demo-memory-1', namespace: 'legal' },
  status: { phase: 'Running', containerStatuses: [{ name: 'memory', ...container }], ...status },
})

const terminatedWith = (message: string) =>
  podProblem(buildPod({ state: { terminated: { reason: 'Error', exitCode: 1, message } } }), start)!
    .message

describe('credentials in a log', () => {
  test.each([
    ['a slash in the password', 'Invalid URL postgres://legal:hunt/er2@db/legal'],
    ['an at sign in the password', 'connecting to postgres://legal:hun@ter2@db/legal'],
    ['a URL that the log cut off', 'gal:hunter2@db/legal refused'],
    ['a connection string', 'host=db user=legal password=hunter2 sslmode=on'],
    ['a JSON member', '{"user":"legal","password":"hunter2"}'],
    ['a cut through the URL', `postgres://legal:hunter2@db/legal ${'x'.repeat(685)}`],
  ])('%s do not reach the message', (_, log) => {
    expect(terminatedWith(log)).not.toMatch(/hunter2|hunt|ter2|er2/)
  })
})

describe('a pod that fails again and again', () => {
  const lastState = { terminated: { reason: 'Error', exitCode: 1, message: 'no database' } }
  test.each<[string, Partial<ContainerStatus>]>([
    ['waits', { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState }],
    ['runs', { state: { running: { startedAt } }, lastState }],
    ['has just terminated', { state: lastState }],
  ])('has the same problem while it %s', (_, container) => {
    expect(podProblem(buildPod({ ready: false, restartCount: 3, ...container }), start)).toEqual({
      reason: 'CrashLoopBackOff',
      message: 'memory exited with code 1: no database',
      needsUser: true,
    })
  })

  test('has another problem once it has run for longer than the kubelet backs off', () => {
    const pod = buildPod({
      ready: false,
      restartCount: 3,
      state: { running: { startedAt } },
      lastState,
    })
    expect(podProblem(pod, start + 600_000)).toMatchObject({ reason: 'ProbeFailing' })
  })

  test('needs a user between two attempts to pull its image too', () => {
    const pod = buildPod({ state: { waiting: { reason: 'ErrImagePull', message: 'no image' } } })
    pod.metadata.creationTimestamp = startedAt
    expect(podProblem(pod, start)).toMatchObject({ needsUser: false })
    expect(podProblem(pod, start + 60_000)).toMatchObject({ needsUser: true })
  })
})

describe('problem of a pod', () => {
  test('a missing image is named and needs a user once the kubelet backs off', () => {
    const message = 'Back-off pulling image "legal-suite:9.9.9"'
    const waiting = (reason: string) => buildPod({ state: { waiting: { reason, message } } })
    expect(podProblem(waiting('ErrImagePull'), start)).toMatchObject({ needsUser: false })
    expect(podProblem(waiting('ImagePullBackOff'), start)).toEqual({
      reason: 'ImagePullBackOff',
      message: `memory: ${message}`,
      needsUser: true,
    })
  })

  test('a crash loop has exit code and last log lines', () => {
    const log = `${Array.from({ length: 50 }, (_, n) => `line ${n}`).join('\n')}\n`
    const pod = buildPod({
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { reason: 'Error', exitCode: 1, message: log } },
    })
    const problem = podProblem(pod, start)!
    expect(problem.reason).toBe('CrashLoopBackOff')
    expect(problem.message).toMatch(/^memory exited with code 1: line 42\n.*line 49$/s)
  })

  test('a killed container is named OOMKilled, waiting or running again', () => {
    const lastState = { terminated: { reason: 'OOMKilled', exitCode: 137 } }
    for (const state of [
      { waiting: { reason: 'CrashLoopBackOff' } },
      { running: { startedAt } },
    ] as const)
      expect(podProblem(buildPod({ state, lastState, ready: false }), start)?.reason).toBe(
        'OOMKilled',
      )
    expect(podProblem(buildPod({ state: { running: {} }, lastState, ready: true }), start)).toBe(
      undefined,
    )
  })

  test('an unschedulable pod has the message of the scheduler', () => {
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: '0/3 nodes are available',
    }
    const pod = buildPod({}, { phase: 'Pending', conditions: [condition], containerStatuses: [] })
    expect(podProblem(pod, start)).toMatchObject({
      reason: 'Unschedulable',
      message: '0/3 nodes are available',
    })
  })

  test('a probe counts as failing only after the grace period', () => {
    const pod = buildPod({ ready: false, started: true, state: { running: { startedAt } } })
    expect(podProblem(pod, start + probeGraceMs - 1)).toBeUndefined()
    expect(probeDeadline(pod)).toBe(start + probeGraceMs)
    expect(podProblem(pod, start + probeGraceMs)).toMatchObject({
      reason: 'ProbeFailing',
      message: expect.stringContaining('readiness probe'),
    })
    const starting = buildPod({ ready: false, started: false, state: { running: { startedAt } } })
    expect(podProblem(starting, start + 60_000)?.message).toContain('startup probe')
    expect(probeDeadline(buildPod({ ready: true, state: { running: { startedAt } } }))).toBe(
      undefined,
    )
  })

  test('a failed container has its last log lines without credentials', () => {
    const message = 'cannot connect to postgres://legal:hunter2@db:5432/legal\n'
    const pod = buildPod(
      { state: { terminated: { reason: 'Error', exitCode: 2, message } } },
      { phase: 'Failed' },
    )
    const problem = podProblem(pod, start)!
    expect(problem).toMatchObject({ reason: 'ContainerFailed', needsUser: true })
    expect(problem.message).toContain('exited with code 2: cannot connect to postgres://…@db')
    expect(problem.message).not.toContain('hunter2')
  })

  test('terminating, completed and ready pods have no problem', () => {
    const crashed = { state: { waiting: { reason: 'CrashLoopBackOff' } } }
    const terminating = buildPod(crashed)
    terminating.metadata.deletionTimestamp = startedAt
    expect(podProblem(terminating, start)).toBeUndefined()
    const ended = buildPod({ state: { terminated: { exitCode: 0 } } }, { phase: 'Succeeded' })
    expect(podProblem(ended, start)).toBeUndefined()
  })

  test('a trimmed pod has the same problem and no spec', () => {
    const pod = buildPod({ state: { waiting: { reason: 'ImagePullBackOff', message: 'no' } } })
    const trimmed = trimPod({ ...pod, spec: { containers: [] } } as Pod)
    expect(trimmed).not.toHaveProperty('spec')
    expect(podProblem(trimmed, start)).toEqual(podProblem(pod, start))
  })
})
