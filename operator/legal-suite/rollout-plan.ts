import type { KubeObject } from '../runtime/objects.ts'
import type { Workload } from './health.ts'
import type { PodProblem } from './pod-problem.ts'

/** Reason why a rollout cannot continue: temporarily (`reconciling`) or until a user acts (`stalled`). */
export interface Blocker {
  state: 'reconciling' | 'stalled'
  reason: string
  message: string
}

export interface RolloutPlan {
  /** Objects to apply now. */
  applicable: KubeObject[]
  /** Objects that wait for a blocker. They are neither applied nor deleted. */
  deferred: KubeObject[]
  blocker?: Blocker
}

export type WorkloadLookup = (kind: string, name: string) => Workload | undefined

export interface RolloutInputs {
  lookup: WorkloadLookup
  /** Referenced Secret entries that do not exist, by `name/key`. */
  missing: ReadonlySet<string>
  /** Reason why the database cannot be used. */
  database?: Blocker | undefined
  /** Returns why the pods of a workload do not become ready. Default: none. */
  findProblem?: (workload: KubeObject) => PodProblem | undefined
  /** Returns whether a Service has a ready endpoint. Default: always. */
  isReachable?: (service: string) => boolean
  /** Whether the suite has pods but no network policies yet. Default: false. */
  policiesAreNew?: boolean
  /** Number of running pods that use the backends. Default: 0. */
  remainingClients?: number
  /** Message of the last Ready condition. */
  lastMessage?: string | undefined
  /** Whether the cluster serves the API of an object. Default: all. */
  isServed?: (object: KubeObject) => boolean
}

export type Deployment = KubeObject & { spec: { replicas?: number } }
