import { isDeepStrictEqual } from 'node:util'

/** As `metav1.Condition`, in a list whose key is the type. */
export type Condition = {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason: string
  message: string
  observedGeneration: number
  lastTransitionTime: string
}

export type NewCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

type At = { generation: number; now: Date }

/** The conditions with this one set; its time moves only when its status does. */
export function withCondition(
  conditions: Condition[],
  { type, status, reason, message }: NewCondition,
  { generation, now }: At,
): Condition[] {
  const before = conditions.find((condition) => condition.type === type)
  const changed = before?.status !== status
  const condition: Condition = {
    type,
    status,
    reason,
    message: clipped(message, 1024),
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
 * Where a reconcile stands. `ready`: all is as wanted. `reconciling`: it is on its way. `stalled`: it will not
 * get further by itself.
 */
export type Standing = {
  state: 'ready' | 'reconciling' | 'stalled'
  reason: string
  message: string
}

/** Ready, Reconciling and Stalled as kstatus reads them: the latter two are there only while they are true. */
export function withStanding(conditions: Condition[], standing: Standing, at: At): Condition[] {
  const { state, reason, message } = standing
  const ready = state === 'ready' ? 'True' : 'False'
  let next = withCondition(conditions, { type: 'Ready', status: ready, reason, message }, at)
  for (const [type, of] of [
    ['Reconciling', 'reconciling'],
    ['Stalled', 'stalled'],
  ] as const) {
    next =
      state === of
        ? withCondition(next, { type, status: 'True', reason, message }, at)
        : withoutCondition(next, type)
  }
  return next
}

/** Newest first, at most so many; an entry that says the same as the newest is not added. */
export function withHistory<T extends { time: string }>(history: T[], entry: T, most: number): T[] {
  const said = ({ time: _, ...rest }: T) => rest
  if (history[0] && isDeepStrictEqual(said(history[0]), said(entry))) return history
  return [entry, ...history].slice(0, most)
}

export const clipped = (text: string, most: number) =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text
