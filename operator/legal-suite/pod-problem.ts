import type { ContainerStatus, Pod } from './pod.ts'

/** Why a pod does not run or does not become ready. */
export interface PodProblem {
  /** The term of Kubernetes: `ImagePullBackOff`, `CrashLoopBackOff`, `Unschedulable`. */
  reason: string
  message: string
  /** Whether it usually needs a user. Other problems can end on their own. */
  needsUser: boolean
}

/** A container that runs for this long and is not ready has a failing probe. */
export const probeGraceMs = 20_000

/** An image that cannot be pulled for this long needs a user, also between two attempts. */
const pullGraceMs = 30_000

/** A container that was restarted this often is in a crash loop, whether it runs, waits or has ended. */
const minCrashLoopRestarts = 2

/** The kubelet ends the back-off of a container that runs for this long. */
const crashLoopResetMs = 600_000

const waitingReasons: Record<string, { needsUser: boolean }> = {
  ImagePullBackOff: { needsUser: true },
  ErrImagePull: { needsUser: false },
  ErrImageNeverPull: { needsUser: true },
  InvalidImageName: { needsUser: true },
  CreateContainerConfigError: { needsUser: true },
  CreateContainerError: { needsUser: true },
  RunContainerError: { needsUser: true },
  CrashLoopBackOff: { needsUser: true },
}

/** Finds the problem of a pod. Terminating and completed pods have none. */
export function podProblem(pod: Pod, now: number): PodProblem | undefined {
  const { metadata, status = {} } = pod
  if (metadata.deletionTimestamp || status.phase === 'Succeeded') return undefined
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled')
  if (scheduled?.status === 'False') {
    const message = scheduled.message ?? 'no node fits'
    return { reason: scheduled.reason ?? 'Unschedulable', message, needsUser: false }
  }
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
  for (const container of containers) {
    const problem = containerProblem(container, now)
    if (problem) return escalate(problem, pod, now)
  }
  if (status.phase !== 'Failed') return undefined
  const message = redact(status.message ?? 'the pod failed')
  // A Job gives up at some point. Other controllers replace the pod.
  const needsUser = metadata.ownerReferences?.some(({ kind }) => kind === 'Job') ?? false
  return { reason: status.reason ?? 'PodFailed', message, needsUser }
}

/** The kubelet alternates between ErrImagePull and ImagePullBackOff. The suite does not. */
function escalate(problem: PodProblem, { metadata }: Pod, now: number): PodProblem {
  const since = Date.parse(metadata.creationTimestamp ?? '')
  const isLate = problem.reason === 'ErrImagePull' && now >= since + pullGraceMs
  return isLate ? { ...problem, reason: 'ImagePullBackOff', needsUser: true } : problem
}

function containerProblem(container: ContainerStatus, now: number): PodProblem | undefined {
  const { name, state = {}, lastState = {} } = container
  const { waiting, running, terminated } = state
  if (terminated) return terminated.exitCode === 0 ? undefined : crashProblem(container, terminated)
  const waitingProblem = waitingReasons[waiting?.reason ?? '']
  if (waiting && waitingProblem) {
    const reason = waiting.reason!
    if (reason !== 'CrashLoopBackOff')
      return {
        reason,
        message: `${name}: ${redact(waiting.message ?? reason)}`,
        ...waitingProblem,
      }
    const exit = lastState.terminated && exitProblem(name, lastState.terminated)
    if (exit?.reason === 'OOMKilled') return exit
    return {
      reason,
      message: exit?.message ?? `${name} terminates again and again`,
      ...waitingProblem,
    }
  }
  if (!running || container.ready) return undefined
  const last = lastState.terminated
  if (last?.reason === 'OOMKilled') return exitProblem(name, last)
  const isRestarted = now < Date.parse(running.startedAt ?? '') + crashLoopResetMs
  if (last?.exitCode && isRestarted && isCrashLoop(container)) return crashProblem(container, last)
  if (now < unreadySince(container)! + probeGraceMs) return undefined
  const probe = container.started === false ? 'startup' : 'readiness'
  return {
    reason: 'ProbeFailing',
    message: `${name} runs, but its ${probe} probe fails; the response of its health endpoint names the cause`,
    needsUser: false,
  }
}

const isCrashLoop = ({ restartCount = 0 }: ContainerStatus) => restartCount >= minCrashLoopRestarts

function crashProblem(container: ContainerStatus, terminated: Terminated): PodProblem {
  const problem = exitProblem(container.name, terminated)
  return problem.reason === 'ContainerFailed' && isCrashLoop(container)
    ? { ...problem, reason: 'CrashLoopBackOff' }
    : problem
}

function exitProblem(name: string, { reason, exitCode, message }: Terminated): PodProblem {
  if (reason === 'OOMKilled')
    return {
      reason,
      message: `${name} exceeded its memory limit and was killed; raise resources.limits.memory`,
      needsUser: true,
    }
  const lines = lastLines(message ?? '')
  const detail = lines ? `: ${lines}` : ''
  return {
    reason: reason && reason !== 'Error' ? reason : 'ContainerFailed',
    message: `${name} exited with code ${exitCode}${detail}`,
    needsUser: true,
  }
}

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>

/** The kubelet copies the end of the log of a failed container to its termination message. */
const lastLines = (log: string) =>
  redact(log)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(-8)
    .join('\n')
    .slice(-700)

/**
 * Removes credentials: all text before the last `@` of a word, because passwords contain slashes and the log
 * may be cut inside of a URL, and the values of members named like a secret.
 */
const redact = (text: string) =>
  text
    .replace(/[^\s"']*@/g, (word) => `${/\w+:\/\//.exec(word)?.[0] ?? ''}…@`)
    .replace(
      /((?:password|passwd|secret|token|api[-_]?key)["']?\s*[=:]\s*["']?)[^\s"',;&]+/gi,
      '$1…',
    )

/** When a running container that is not ready was started. */
const unreadySince = ({ state, ready }: ContainerStatus): number | undefined =>
  state?.running && !ready ? Date.parse(state.running.startedAt ?? '') || 0 : undefined

/** The time at which a probe of this pod counts as failing, or undefined if all containers are ready. */
export function probeDeadline({ metadata, status }: Pod): number | undefined {
  if (metadata.deletionTimestamp) return undefined
  const since = (status?.containerStatuses ?? []).flatMap((each) => unreadySince(each) ?? [])
  return since.length ? Math.min(...since) + probeGraceMs : undefined
}
