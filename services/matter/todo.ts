import * as z from 'zod'
import { Fault } from '../_kit/fault.ts'
import { Id, Json, Time } from '../_kit/fields.ts'
import { newId } from '../_kit/ids.ts'
import { fragment, json, type Sql, textArray } from '../_kit/sql/sql.ts'
import { Name, Timestamp, Title } from './fields.ts'
import { isEqual } from './merge.ts'
import { StoredJson } from './playbook.ts'

export const Actor = z.enum(['client', 'lawyer', 'firm_admin', 'system'])
export const TodoStatus = z.enum(['OPEN', 'DONE', 'CANCELLED'])

const TodoState = z.object({
  todo_key: z.string(),
  title: z.string(),
  actor: Actor,
  review_type: z.string().nullable(),
  status: TodoStatus,
  payload: StoredJson,
  result: StoredJson,
  due_at: Time.nullable(),
})
type TodoState = z.infer<typeof TodoState>

export const Todo = z
  .object({ id: Id, ...TodoState.shape, created_at: Time, updated_at: Time })
  .meta({ id: 'Todo' })
export type Todo = z.infer<typeof Todo>

export const columns = fragment`
  id, todo_key, title, actor, review_type, status, payload, result, due_at, created_at, updated_at`

/** Patch of a todo. Omitted fields stay unchanged, or have their defaults in a new todo. */
export const TodoPatch = z
  .object({
    todo_key: Name,
    title: Title.optional().describe('Default: the key.'),
    actor: Actor.optional().describe('Responsible role. Default: `client`.'),
    review_type: z.string().min(1).max(100).nullable().optional(),
    status: TodoStatus.optional(),
    payload: Json.optional().describe('Default: `{}`.'),
    result: Json.optional().describe('Stored with status `DONE`.'),
    due_at: Timestamp.nullable().optional(),
  })
  .meta({
    examples: [{ todo_key: 'confirm_facts', title: 'Confirm the facts', actor: 'client' }],
  })
export type TodoPatch = z.output<typeof TodoPatch>

/** Applies a patch. A done or cancelled todo stays unchanged, so that a repeated sync does not reopen it. */
export function patchTodo(before: TodoState | undefined, patch: TodoPatch): TodoState {
  if (before && before.status !== 'OPEN') return before
  const status = patch.status ?? 'OPEN'
  return {
    todo_key: patch.todo_key,
    title: patch.title ?? before?.title ?? patch.todo_key,
    actor: patch.actor ?? before?.actor ?? 'client',
    review_type:
      patch.review_type === undefined ? (before?.review_type ?? null) : patch.review_type,
    status,
    payload: patch.payload === undefined ? (before ? before.payload : {}) : patch.payload,
    result: status === 'DONE' ? (patch.result ?? null) : null,
    due_at: patch.due_at === undefined ? (before?.due_at ?? null) : patch.due_at,
  }
}

/** Completes a todo. The same result again changes nothing; another result is CONFLICT. */
export function completeTodo(before: TodoState, result: unknown): TodoState {
  if (before.status === 'OPEN') return { ...before, status: 'DONE', result }
  if (before.status === 'DONE' && isEqual(before.result, result)) return before
  const state = before.status === 'DONE' ? 'done with another result' : 'cancelled'
  throw new Fault('CONFLICT', `Todo ${before.todo_key} is already ${state}.`, {
    data: { todo_key: before.todo_key, status: before.status, result: before.result },
  })
}

export async function loadTodos(sql: Sql, matterId: string, keys: string[]) {
  const rows = await sql.rows(TodoState)`
    select ${columns} from matter.todos
    where matter_id = ${matterId} and todo_key = any(${textArray(keys)})`
  return new Map(rows.map((todo) => [todo.todo_key, todo]))
}

/** Upserts todos by key and returns the stored rows. */
export async function saveTodos(sql: Sql, matterId: string, todos: TodoState[]): Promise<Todo[]> {
  const rows = todos.map((todo) => ({ id: newId(), ...todo }))
  return sql.rows(Todo)`
    insert into matter.todos
      (id, matter_id, todo_key, title, actor, review_type, status, payload, result, due_at)
    select id, ${matterId}::uuid, todo_key, title, actor, review_type, status, payload, result,
      due_at
    from jsonb_to_recordset(${json(rows)})
      as input (id uuid, todo_key text, title text, actor text, review_type text, status text,
        payload jsonb, result jsonb, due_at timestamptz)
    on conflict (matter_id, todo_key) do update
    set title = excluded.title, actor = excluded.actor, review_type = excluded.review_type,
      status = excluded.status, payload = excluded.payload, result = excluded.result,
      due_at = excluded.due_at, updated_at = clock_timestamp()
    returning ${columns}`
}
