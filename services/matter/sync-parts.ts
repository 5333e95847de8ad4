import { Fault } from '../_kit/fault.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import { type DeliverableTold, loadDeliverables, revised, saveDeliverables } from './deliverable.ts'
import { type FactTold, loadFacts, saveFacts, told } from './facts.ts'
import { fold } from './merge.ts'
import { type PhaseTold, phasesOf, progressed, savePhases } from './phases.ts'
import { completed, loadTodos, saveTodos, type TodoTold, upserted } from './todo.ts'

/** How many changed, and in a word each what they were and became. */
interface Part {
  changed: number
  from: Record<string, unknown>
  to: Record<string, unknown>
}

const nothing: Part = { changed: 0, from: {}, to: {} }

export async function syncPhases(sql: Sql, matterId: string, list: PhaseTold[]): Promise<Part> {
  if (list.length === 0) return nothing
  const now = new Date().toISOString()
  const phases = await phasesOf(sql, matterId)
  const before = new Map(phases.map((phase) => [phase.phase_id, phase]))
  let last = Math.max(0, ...phases.map((phase) => phase.order_num))
  const { changed } = fold(
    before,
    list,
    (phase) => phase.phase_id,
    (phase, told) => progressed(phase, told, now, phase ? last : ++last),
  )
  if (changed.size === 0) return nothing
  await savePhases(sql, matterId, [...changed.values()])
  return part(before, changed, (phase) => phase.status)
}

export async function syncTodos(
  sql: Sql,
  matterId: string,
  list: TodoTold[],
  done: { todo_key: string; result?: unknown }[],
): Promise<Part & { completed: number }> {
  const keys = [...list, ...done].map((todo) => todo.todo_key)
  if (keys.length === 0) return { ...nothing, completed: 0 }
  const before = await loadTodos(sql, matterId, keys)
  const upserts = fold(before, list, (todo) => todo.todo_key, upserted)
  const completions = new Map<string, ReturnType<typeof upserted>>()
  for (const { todo_key, result } of done) {
    const todo = completions.get(todo_key) ?? upserts.after.get(todo_key)
    if (!todo) throw new Fault('CONFLICT', `There is no todo ${todo_key} to complete.`)
    const after = completed(todo, result)
    if (after !== todo) completions.set(todo_key, after)
  }
  const changed = new Map([...upserts.changed, ...completions])
  if (changed.size > 0) await saveTodos(sql, matterId, [...changed.values()])
  return {
    ...part(before, changed, (todo) => todo.status),
    changed: upserts.changed.size,
    completed: completions.size,
  }
}

export async function syncDeliverables(
  sql: Sql,
  matterId: string,
  list: DeliverableTold[],
): Promise<Part> {
  if (list.length === 0) return nothing
  const keys = list.map((each) => each.deliverable_key)
  const before = await loadDeliverables(sql, matterId, keys)
  const { changed } = fold(before, list, (each) => each.deliverable_key, revised)
  if (changed.size === 0) return nothing
  await saveDeliverables(sql, matterId, [...changed.values()])
  return part(before, changed, (each) => each.version)
}

export async function syncFacts(sql: Sql, matterId: string, list: FactTold[]): Promise<Part> {
  if (list.length === 0) return nothing
  const keys = list.map((fact) => fact.entity_key)
  const before = await loadFacts(sql, matterId, keys)
  const { changed } = fold(
    before,
    list,
    (fact) => fact.entity_key,
    (_, fact) => told(fact),
  )
  if (changed.size === 0) return nothing
  await saveFacts(sql, matterId, changed)
  return { ...nothing, changed: changed.size }
}

const part = <State>(
  before: ReadonlyMap<string, State>,
  changed: ReadonlyMap<string, State>,
  inAWord: (state: State) => unknown,
): Part => ({
  changed: changed.size,
  from: Object.fromEntries(
    [...changed.keys()].map((key) => {
      const state = before.get(key)
      return [key, state === undefined ? null : inAWord(state)]
    }),
  ),
  to: Object.fromEntries([...changed].map(([key, state]) => [key, inAWord(state)])),
})
