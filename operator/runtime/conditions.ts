import { isDeepStrictEqual } from 'node:util'
import type { V1Condition } from '@kubernetes/client-node/dist/gen/models/V1Condition.js'
import type { Json } from './objects.ts'

/** `metav1.Condition`, in a list keyed by type. */
export type Condition = Required<Json<V1Condition>> & { status: 'True' | 'False' | 'Unknown' }

export type NewCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

type ConditionContext = { generation: number; now: Date }

/** Sets a condition. `lastTransitionTime` changes only with the status. */
export function withCondition(
  conditions: Condition[],
  { type, status, reason, message }: NewCondition,
  { generation, now }: ConditionContext,
): Condition[] {
  const before = conditions.find((condition) => condition.type === type)
  const changed = before?.status !== status
  const condition: Condition = {
    type,
    status,
    reason,
    message: truncate(message, 1024),
    observedGeneration: generation,
    lastTransitionTime: changed
      ? now.toISOString().replace(/\.\d+/, '')
      : before.lastTransitionTime,
  }
  if (!before) return [...conditions, condition]
  return conditions.map((other) => (other === before ? condition : other))
}

export const withoutCondition = (conditions: Condition[], type: string) =>
  conditions.filter((condition) => condition.type !== type)

/**
 * Result of a reconcile. `ready`: the desired state is reached. `reconciling`: it is in progress. `stalled`:
 * it needs a user.
 */
export type ReadyState = {
  state: 'ready' | 'reconciling' | 'stalled'
  reason: string
  message: string
}

/** Sets Ready, and Reconciling or Stalled only while they are true, as kstatus expects. */
export function withReadyState(
  conditions: Condition[],
  readyState: ReadyState,
  context: ConditionContext,
): Condition[] {
  const { state, reason, message } = readyState
  const ready = state === 'ready' ? 'True' : 'False'
  let next = withCondition(conditions, { type: 'Ready', status: ready, reason, message }, context)
  for (const [type, activeState] of [
    ['Reconciling', 'reconciling'],
    ['Stalled', 'stalled'],
  ] as const) {
    next =
      state === activeState
        ? withCondition(next, { type, status: 'True', reason, message }, context)
        : withoutCondition(next, type)
  }
  return next
}

/** Prepends an entry unless it equals the newest one except for its time. */
export function withHistory<T extends { time: string }>(
  history: T[],
  entry: T,
  maxEntries: number,
): T[] {
  const withoutTime = ({ time: _, ...rest }: T) => rest
  if (history[0] && isDeepStrictEqual(withoutTime(history[0]), withoutTime(entry))) return history
  return [entry, ...history].slice(0, maxEntries)
}

export const truncate = (text: string, maxLength: number) =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
