import { Fault } from '../_kit/fault.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import {
  type DeliverablePatch,
  loadDeliverables,
  patchDeliverable,
  saveDeliverables,
} from './deliverable.ts'
import { type FactPatch, loadFacts, patchFact, saveFacts } from './facts.ts'
import { applyKeyedPatches } from './merge.ts'
import { loadPhases, type PhasePatch, patchPhase, savePhases } from './phases.ts'
import { completeTodo, loadTodos, patchTodo, saveTodos, type TodoPatch } from './todo.ts'

/** Number of changed records and a summary of each, before and after. */
interface SectionResult {
  changed: number
  from: Record<string, unknown>
  to: Record<string, unknown>
}

const unchanged: SectionResult = { changed: 0, from: {}, to: {} }

export async function syncPhases(
  sql: Sql,
  matterId: string,
  patches: PhasePatch[],
): Promise<SectionResult> {
  if (patches.length === 0) return unchanged
  const now = new Date().toISOString()
  const phases = await loadPhases(sql, matterId)
  const before = new Map(phases.map((phase) => [phase.phase_id, phase]))
  let lastOrder = Math.max(0, ...phases.map((phase) => phase.order_num))
  const { changed } = applyKeyedPatches(
    before,
    patches,
    (phase) => phase.phase_id,
    (phase, patch) => patchPhase(phase, patch, now, phase ? lastOrder : ++lastOrder),
  )
  if (changed.size === 0) return unchanged
  await savePhases(sql, matterId, [...changed.values()])
  return sectionResult(before, changed, (phase) => phase.status)
}

export async function syncTodos(
  sql: Sql,
  matterId: string,
  patches: TodoPatch[],
  completions: { todo_key: string; result?: unknown }[],
): Promise<SectionResult & { completed: number }> {
  const keys = [...patches, ...completions].map((todo) => todo.todo_key)
  if (keys.length === 0) return { ...unchanged, completed: 0 }
  const before = await loadTodos(sql, matterId, keys)
  const upserts = applyKeyedPatches(before, patches, (todo) => todo.todo_key, patchTodo)
  const completed = new Map<string, ReturnType<typeof patchTodo>>()
  for (const { todo_key, result } of completions) {
    const todo = completed.get(todo_key) ?? upserts.after.get(todo_key)
    if (!todo) throw new Fault('CONFLICT', `Todo ${todo_key} does not exist.`)
    const after = completeTodo(todo, result)
    if (after !== todo) completed.set(todo_key, after)
  }
  const changed = new Map([...upserts.changed, ...completed])
  if (changed.size > 0) await saveTodos(sql, matterId, [...changed.values()])
  return {
    ...sectionResult(before, changed, (todo) => todo.status),
    changed: upserts.changed.size,
    completed: completed.size,
  }
}

export async function syncDeliverables(
  sql: Sql,
  matterId: string,
  patches: DeliverablePatch[],
): Promise<SectionResult> {
  if (patches.length === 0) return unchanged
  const keys = patches.map((each) => each.deliverable_key)
  const before = await loadDeliverables(sql, matterId, keys)
  const { changed } = applyKeyedPatches(
    before,
    patches,
    (each) => each.deliverable_key,
    patchDeliverable,
  )
  if (changed.size === 0) return unchanged
  await saveDeliverables(sql, matterId, [...changed.values()])
  return sectionResult(before, changed, (each) => each.version)
}

export async function syncFacts(
  sql: Sql,
  matterId: string,
  patches: FactPatch[],
): Promise<SectionResult> {
  if (patches.length === 0) return unchanged
  const keys = patches.map((fact) => fact.entity_key)
  const before = await loadFacts(sql, matterId, keys)
  const { changed } = applyKeyedPatches(
    before,
    patches,
    (fact) => fact.entity_key,
    (_, fact) => patchFact(fact),
  )
  if (changed.size === 0) return unchanged
  await saveFacts(sql, matterId, changed)
  return { ...unchanged, changed: changed.size }
}

const sectionResult = <State>(
  before: ReadonlyMap<string, State>,
  changed: ReadonlyMap<string, State>,
  summarize: (state: State) => unknown,
): SectionResult => ({
  changed: changed.size,
  from: Object.fromEntries(
    [...changed.keys()].map((key) => {
      const state = before.get(key)
      return [key, state === undefined ? null : summarize(state)]
    }),
  ),
  to: Object.fromEntries([...changed].map(([key, state]) => [key, summarize(state)])),
})
