import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { ExternalId, Id, Json, JsonObject, Version } from '../_kit/fields.ts'
import { canonicalJson, sha256Hex } from '../_kit/hash.ts'
import { json, type Sql } from '../_kit/sql/sql.ts'
import { DeliverableTold } from './deliverable.ts'
import { post } from './deps.ts'
import { changesTo } from './edit.ts'
import { FactTold } from './facts.ts'
import { FileIds, Name, Title } from './fields.ts'
import { ById, lockMatter, type Matter, MatterCategory, Status } from './matter.ts'
import { difference, mergeMembers, mergeSections, union } from './merge.ts'
import { PhaseTold } from './phases.ts'
import { taken } from './playbook.ts'
import { engine, service, trusted } from './scope.ts'
import { moveBySync } from './status.ts'
import { syncDeliverables, syncFacts, syncPhases, syncTodos } from './sync-parts.ts'
import { TodoTold } from './todo.ts'
import { write } from './write.ts'

const Sync = z
  .object({
    sync_key: Name.nullish(),
    status: Status.optional(),
    title: Title.optional(),
    matter_category: MatterCategory.optional(),
    cause_of_action_code: ExternalId.nullable().optional(),
    profile: JsonObject.optional().describe('Merged by member; null removes one.'),
    data: JsonObject.optional().describe('Merged by the members of each section.'),
    file_ids: FileIds.default([]).describe('Added to those that are there.'),
    phases: z.array(PhaseTold).max(500).default([]),
    todos: z.array(TodoTold).max(2_000).default([]),
    complete_todos: z
      .array(z.object({ todo_key: Name, result: Json.default(null) }))
      .max(2_000)
      .default([]),
    deliverables: z.array(DeliverableTold).max(2_000).default([]),
    facts: z.array(FactTold).max(2_000).default([]),
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
export type Sync = z.output<typeof Sync>

const Changed = z.object({
  matter: z.int(),
  phases: z.int(),
  todos: z.int(),
  completed_todos: z.int(),
  deliverables: z.int(),
  facts: z.int(),
})

const Synced = z.object({
  matter_id: Id,
  version: Version,
  applied: z.boolean(),
  changed: Changed,
})
type Synced = z.infer<typeof Synced>

export const sync = [
  post(
    '/api/v1/internal/matters/:id/sync/all',
    {
      summary: 'Write what the engine made of a matter',
      description:
        'Whole or not at all. The same sync_key and body again change nothing and give the first answer with `applied` false; another body under it is a conflict. A cause of action or a COMPLETED `intake` phase moves DRAFT to ACTIVE.',
      guard: service,
      params: ById,
      body: taken(Sync),
      responses: { 200: Synced },
      faults: ['CONFLICT'],
    },
    async (c, { params, body }) => {
      const hash = body.sync_key ? await sha256Hex(canonicalJson(body)) : ''
      const synced = await c.env.sql.transaction(async (sql) => {
        const matter = await lockMatter(sql, trusted(c.var.caller), params.id)
        const before = await earlier(sql, matter.id, body.sync_key, hash)
        if (before) return before
        const after = await apply(sql, matter, body)
        await keep(sql, body.sync_key, hash, after)
        return after
      })
      return ok(c, synced)
    },
  ),
]

async function apply(sql: Sql, matter: Matter, body: Sync): Promise<Synced> {
  const changes = changesTo(matter, wanted(matter, body))
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
  const answer = { matter_id: matter.id, version: matter.version, applied: true, changed }
  if (Object.values(changed).every((count) => count === 0)) return answer
  const event = {
    type: 'matter.synced',
    summary: summaryOf(changed),
    ...difference(
      { ...matter, phases: phases.from, todos: todos.from, deliverables: deliverables.from },
      { ...matter, ...changes, phases: phases.to, todos: todos.to, deliverables: deliverables.to },
      2,
    ),
  }
  const { version } = await write(sql, matter, engine, event, changes)
  return { ...answer, version }
}

/** Synced the matter, 2 phases, 1 todo. */
function summaryOf({ matter, ...parts }: z.infer<typeof Changed>): string {
  const counts = Object.entries(parts).filter(([, count]) => count > 0)
  const words = counts.map(([what, count]) => {
    const plural = what.replace('_', ' ')
    return `${count} ${count === 1 ? plural.slice(0, -1) : plural}`
  })
  return `Synced ${[...(matter > 0 ? ['the matter'] : []), ...words].join(', ')}.`
}

/** The matter's own members as the sync would have them. */
function wanted(matter: Matter, body: Sync) {
  const { status, title, matter_category, cause_of_action_code, profile, data } = body
  const intake = body.phases.findLast((phase) => phase.phase_id === 'intake' && phase.status)
  const activates = typeof cause_of_action_code === 'string' || intake?.status === 'COMPLETED'
  return {
    status: moveBySync(matter.status, status, activates),
    title,
    matter_category,
    cause_of_action_code,
    profile: profile && mergeMembers(matter.profile, profile),
    data: data && mergeSections(matter.data, data),
    file_ids: union(matter.file_ids, body.file_ids),
  }
}

const Kept = z.object({ body_hash: z.string(), version: Version, changed: Changed })

async function earlier(
  sql: Sql,
  matter_id: string,
  key: Sync['sync_key'],
  hash: string,
): Promise<Synced | undefined> {
  if (!key) return undefined
  const kept = await sql.row(Kept)`
    select body_hash, version, changed from matter.syncs
    where matter_id = ${matter_id} and sync_key = ${key}`
  if (!kept) return undefined
  if (kept.body_hash !== hash) {
    throw new Fault('CONFLICT', `The sync_key ${key} was used before with another body.`)
  }
  return { matter_id, version: kept.version, applied: false, changed: kept.changed }
}

async function keep(sql: Sql, key: Sync['sync_key'], hash: string, synced: Synced) {
  if (!key) return
  await sql`
    insert into matter.syncs (matter_id, sync_key, body_hash, version, changed)
    values (${synced.matter_id}, ${key}, ${hash}, ${synced.version}, ${json(synced.changed)})`
}
