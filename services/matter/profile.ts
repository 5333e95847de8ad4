import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Id } from '../_kit/fields.ts'
import { loadLatestVersion } from './analysis.ts'
import { get } from './deps.ts'
import { ById, loadMatter, Matter } from './matter.ts'
import { loadPhases, Phase } from './phases.ts'
import { serviceGuard, visibleToService } from './scope.ts'
import { Todo } from './todo.ts'

const TodoStatus = Todo.pick({ todo_key: true, status: true })

/** Fields of a matter that the engine may read. */
const Profile = z.object({
  matter_id: Id,
  ...Matter.pick({
    status: true,
    matter_category: true,
    cause_of_action_code: true,
    service_type_id: true,
    profile: true,
  }).shape,
  phases: z.array(Phase),
  todos: z.array(TodoStatus),
  file_ids: Matter.shape.file_ids,
  analysis_version: z.int().min(0),
})

export const profile = [
  get(
    '/api/v1/internal/matters/:id/workflow/profile',
    {
      summary: 'Get the workflow profile of a matter',
      guard: serviceGuard,
      params: ById,
      responses: { 200: Profile },
    },
    async (c, { params: { id } }) => {
      const { sql } = c.env
      const matter = await loadMatter(sql, visibleToService(c.var.caller), id)
      const [phases, todos, analysis_version] = await Promise.all([
        loadPhases(sql, id),
        sql.rows(TodoStatus)`
          select todo_key, status from matter.todos
          where matter_id = ${id} order by created_at, id`,
        loadLatestVersion(sql, id),
      ])
      return ok(c, Profile.parse({ ...matter, matter_id: id, phases, todos, analysis_version }))
    },
  ),
]
