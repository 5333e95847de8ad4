import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { ExternalId, Id, Json, JsonObject, Version } from '../_kit/fields.ts'
import { canonicalJson, sha256Hex } from '../_kit/hash.ts'
import { json, type Sql } from '../_kit/sql/sql.ts'
import { commitChange } from './commit-change.ts'
import { DeliverablePatch } from './deliverable.ts'
import { post } from './deps.ts'
import { changedMembers } from './edit.ts'
import { FactPatch } from './facts.ts'
import { FileIds, Name, Title } from './fields.ts'
import { ById, lockMatter, type Matter, MatterCategory, Status } from './matter.ts'
import { diffMembers, mergePatch, mergeSections, union } from './merge.ts'
import { PhasePatch } from './phases.ts'
import { bodySchema } from './playbook.ts'
import { engineActor, serviceGuard, visibleToService } from './scope.ts'
import { transitionBySync } from './status.ts'
import { syncDeliverables, syncFacts, syncPhases, syncTodos } from './sync-sections.ts'
import { TodoPatch } from './todo.ts'

const SyncRequest = z
  .object({
    sync_key: Name.nullish(),
    status: Status.optional(),
    title: Title.optional(),
    matter_category: MatterCategory.optional(),
    cause_of_action_code: ExternalId.nullable().optional(),
    profile: JsonObject.optional().describe('Merged by member; null removes a member.'),
    data: JsonObject.optional().describe('Merged by the members of each section.'),
    file_ids: FileIds.default([]).describe('Added to the existing ids.'),
    phases: z.array(PhasePatch).max(500).default([]),
    todos: z.array(TodoPatch).max(2_000).default([]),
    complete_todos: z
      .array(z.object({ todo_key: Name, result: Json.default(null) }))
      .max(2_000)
      .default([]),
    deliverables: z.array(DeliverablePatch).max(2_000).default([]),
    facts: z.array(FactPatch).max(2_000).default([]),
  })
  .meta({
    examples: [
      {
        sync_key: 'run-1:evidence',
        cause_of_action_code: 'private_lending',
        profile: { amount: 100_000 },
        data: { litigation: { court: 'Chaoyang' } },
        phases: [{ phase_id: 'intake', status: 'COMPLETED' }],
        todos: [{ todo_key: 'confirm_facts', title: 'Confirm the facts' }],
        facts: [{ entity_key: 'loan.amount', content: 'The loan is 100,000.' }],
      },
    ],
  })
export type SyncRequest = z.output<typeof SyncRequest>

const ChangeCounts = z.object({
  matter: z.int(),
  phases: z.int(),
  todos: z.int(),
  completed_todos: z.int(),
  deliverables: z.int(),
  facts: z.int(),
})

const SyncResponse = z.object({
  matter_id: Id,
  version: Version,
  applied: z.boolean(),
  changed: ChangeCounts,
})
type SyncResponse = z.infer<typeof SyncResponse>

export const sync = [
  post(
    '/api/v1/internal/matters/:id/sync/all',
    {
      summary: 'Synchronize results of the engine to a matter',
      description:
        'One transaction. The same sync_key and body return the first response with `applied` false; another body with the same key is 409. A cause of action or a COMPLETED `intake` phase moves DRAFT to ACTIVE.',
      guard: serviceGuard,
      params: ById,
      body: bodySchema(SyncRequest),
      responses: { 200: SyncResponse },
      faults: ['CONFLICT'],
    },
    async (c, { params, body }) => {
      const hash = body.sync_key ? await sha256Hex(canonicalJson(body)) : ''
      const response = await c.env.sql.transaction(async (sql) => {
        const matter = await lockMatter(sql, visibleToService(c.var.caller), params.id)
        const before = await findPreviousSync(sql, matter.id, body.sync_key, hash)
        if (before) return before
        const after = await applySync(sql, matter, body)
        await saveSync(sql, body.sync_key, hash, after)
        return after
      })
      return ok(c, response)
    },
  ),
]

async function applySync(sql: Sql, matter: Matter, body: SyncRequest): Promise<SyncResponse> {
  const changes = changedMembers(matter, targetMatter(matter, body))
  const phases = await syncPhases(sql, matter.id, body.phases)
  const todos = await syncTodos(sql, matter.id, body.todos, body.complete_todos)
  const deliverables = await syncDeliverables(sql, matter.id, body.deliverables)
  const facts = await syncFacts(sql, matter.id, body.facts)
  const changed = {
    matter: Object.keys(changes).length > 0 ? 1 : 0,
    phases: phases.changed,
    todos: todos.changed,
    completed_todos: todos.completed,
    deliverables: deliverables.changed,
    facts: facts.changed,
  }
  const response = { matter_id: matter.id, version: matter.version, applied: true, changed }
  if (Object.values(changed).every((count) => count === 0)) return response
  const event = {
    type: 'matter.synced',
    summary: summarizeChanges(changed),
    ...diffMembers(
      { ...matter, phases: phases.from, todos: todos.from, deliverables: deliverables.from },
      { ...matter, ...changes, phases: phases.to, todos: todos.to, deliverables: deliverables.to },
      2,
    ),
  }
  const { version } = await commitChange(sql, matter, engineActor, event, changes)
  return { ...response, version }
}

/** Example: Synced the matter, 2 phases, 1 todo. */
function summarizeChanges({ matter, ...sections }: z.infer<typeof ChangeCounts>): string {
  const counts = Object.entries(sections).filter(([, count]) => count > 0)
  const words = counts.map(([what, count]) => {
    const plural = what.replace('_', ' ')
    return `${count} ${count === 1 ? plural.slice(0, -1) : plural}`
  })
  return `Synced ${[...(matter > 0 ? ['the matter'] : []), ...words].join(', ')}.`
}

/** Returns the members of the matter after the sync. */
function targetMatter(matter: Matter, body: SyncRequest) {
  const { status, title, matter_category, cause_of_action_code, profile, data } = body
  const intakePhase = body.phases.findLast((phase) => phase.phase_id === 'intake' && phase.status)
  const activates = typeof cause_of_action_code === 'string' || intakePhase?.status === 'COMPLETED'
  return {
    status: transitionBySync(matter.status, status, activates),
    title,
    matter_category,
    cause_of_action_code,
    profile: profile && mergePatch(matter.profile, profile),
    data: data && mergeSections(matter.data, data),
    file_ids: union(matter.file_ids, body.file_ids),
  }
}

const StoredSync = z.object({ body_hash: z.string(), version: Version, changed: ChangeCounts })

async function findPreviousSync(
  sql: Sql,
  matter_id: string,
  key: SyncRequest['sync_key'],
  hash: string,
): Promise<SyncResponse | undefined> {
  if (!key) return undefined
  const stored = await sql.row(StoredSync)`
    select body_hash, version, changed from matter.syncs
    where matter_id = ${matter_id} and sync_key = ${key}`
  if (!stored) return undefined
  if (stored.body_hash !== hash) {
    throw new Fault('CONFLICT', `sync_key ${key} was used with another body.`)
  }
  return { matter_id, version: stored.version, applied: false, changed: stored.changed }
}

async function saveSync(
  sql: Sql,
  key: SyncRequest['sync_key'],
  hash: string,
  response: SyncResponse,
) {
  if (!key) return
  await sql`
    insert into matter.syncs (matter_id, sync_key, body_hash, version, changed)
    values (${response.matter_id}, ${key}, ${hash}, ${response.version}, ${json(response.changed)})`
}
