import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { notFound } from '../_kit/fault.ts'
import { Json } from '../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, join, type Sql } from '../_kit/sql/sql.ts'
import { commitChange } from './commit-change.ts'
import { get, post } from './deps.ts'
import { ById, lockMatter, requireVisible } from './matter.ts'
import { diffMembers, isEqual, type Members } from './merge.ts'
import { bodySchema } from './playbook.ts'
import { actorId, userGuard, visibleToUser } from './scope.ts'
import {
  Actor,
  columns,
  completeTodo,
  loadTodos,
  patchTodo,
  saveTodos,
  Todo,
  TodoPatch,
  TodoStatus,
} from './todo.ts'

const Filters = PageQuery.extend({ status: TodoStatus.optional(), actor: Actor.optional() })
const ByKeyOrId = ById.extend({
  todo: z.string().min(1).max(200).describe('Key or id of the todo.'),
})
const Result = z.object({ result: Json.default(null) })

const path = '/api/v1/matters/:id/todos'

export const todos = [
  get(
    path,
    {
      summary: 'List the todos of a matter in order of creation',
      guard: userGuard,
      params: ById,
      query: Filters,
      responses: { 200: pageSchema(Todo) },
    },
    async (c, { params, query }) => {
      await requireVisible(c.env.sql, visibleToUser(c.var.caller), params.id)
      const conditions = join([
        ...(query.status ? [fragment` and status = ${query.status}`] : []),
        ...(query.actor ? [fragment` and actor = ${query.actor}`] : []),
      ])
      const page = await selectPage(c.env.sql, Todo, query, {
        columns,
        from: fragment`matter.todos where matter_id = ${params.id}${conditions}`,
        order: fragment`created_at, id`,
      })
      return ok(c, page)
    },
  ),

  post(
    path,
    {
      summary: 'Create or update a todo',
      description:
        'Upsert by todo_key. A new todo is created (201), an open one is updated, a done or cancelled one stays unchanged (200).',
      guard: userGuard,
      params: ById,
      body: bodySchema(TodoPatch),
      responses: { 200: Todo, 201: Todo },
      idempotencyKey: true,
    },
    async (c, { params, body }) => {
      const { caller } = c.var
      const { todo, made: created } = await c.env.sql.transaction(async (sql) => {
        const matter = await lockMatter(sql, visibleToUser(caller), params.id)
        const before = (await loadTodos(sql, matter.id, [body.todo_key])).get(body.todo_key)
        const after = patchTodo(before, body)
        if (isEqual(before, after)) return { todo: await loadTodo(sql, matter.id, body.todo_key) }
        const [todo] = await saveTodos(sql, matter.id, [after])
        await commitChange(sql, matter, actorId(caller), {
          type: before ? 'todo.updated' : 'todo.created',
          summary: `${before ? 'Updated' : 'Created'} todo ${body.todo_key}: ${after.title}`,
          ...diffTodo(before ?? {}, after),
        })
        return { todo: todo!, made: !before }
      })
      return ok(c, todo, created ? 201 : 200)
    },
  ),

  post(
    `${path}/:todo/complete`,
    {
      summary: 'Complete a todo',
      description:
        'The same result again changes nothing. Another result, or a cancelled todo, is 409.',
      guard: userGuard,
      params: ByKeyOrId,
      body: bodySchema(Result.prefault({})),
      responses: { 200: Todo },
      faults: ['CONFLICT'],
    },
    async (c, { params, body }) => {
      const { caller } = c.var
      const todo = await c.env.sql.transaction(async (sql) => {
        const matter = await lockMatter(sql, visibleToUser(caller), params.id)
        const before = await loadTodo(sql, matter.id, params.todo)
        const after = completeTodo(before, body.result)
        if (after === before) return before
        const [todo] = await saveTodos(sql, matter.id, [after])
        await commitChange(sql, matter, actorId(caller), {
          type: 'todo.completed',
          summary: `Completed todo ${before.todo_key}: ${before.title}`,
          ...diffTodo(before, after),
        })
        return todo!
      })
      return ok(c, todo)
    },
  ),
]

/** Changes of a todo. The state after the change names it, so that a reader knows which one it is. */
function diffTodo(before: Members, after: Members & { todo_key: string; title: string }) {
  const { from, to } = diffMembers(before, after, 0)
  return { from, to: { todo_key: after.todo_key, title: after.title, ...to } }
}

async function loadTodo(sql: Sql, matterId: string, keyOrId: string): Promise<Todo> {
  const todo = await sql.row(Todo)`
    select ${columns} from matter.todos
    where matter_id = ${matterId} and (todo_key = ${keyOrId} or id::text = ${keyOrId})
    order by todo_key <> ${keyOrId} limit 1`
  if (!todo) throw notFound(`todo ${keyOrId}`)
  return todo
}
