import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { ExternalId } from '../_kit/fields.ts'
import { fragment, type Sql, type SqlFragment } from '../_kit/sql/sql.ts'
import { post } from './deps.ts'
import { bodySchema } from './playbook.ts'
import { serviceGuard, visibleToService } from './scope.ts'

const Erasure = z
  .object({
    user_id: ExternalId.optional(),
    matter_id: ExternalId.optional(),
    dry_run: z.boolean().default(false).describe('Count only. Default: false.'),
  })
  .refine(({ user_id, matter_id }) => (user_id === undefined) !== (matter_id === undefined), {
    message: 'Exactly one of user_id and matter_id is required.',
    path: ['user_id'],
  })

const Counts = z.object({
  sessions: z.int(),
  messages: z.int(),
  turns: z.int(),
  anonymized_messages: z
    .int()
    .describe('Messages of the person in sessions of others: they stay, without the author.'),
})
type Counts = z.infer<typeof Counts>

export const erasure = [
  post(
    '/api/v1/internal/erasure',
    {
      summary: 'Erase the sessions of a person or a matter',
      description:
        'Deletes the sessions with their messages, turns and events. Idempotent: a second call erases nothing.',
      guard: serviceGuard,
      body: bodySchema(Erasure),
      example: { user_id: 7, dry_run: true },
      responses: { 200: z.object({ erased: Counts }) },
    },
    async (c, { body }) => {
      const { user_id, matter_id, dry_run } = body
      const scope = visibleToService(c.var.caller)
      const owned =
        user_id === undefined
          ? fragment`${scope} and s.matter_id = ${matter_id!}`
          : fragment`${scope} and s.user_id = ${user_id}`
      const authored =
        user_id === undefined
          ? fragment`false`
          : fragment`${scope} and s.user_id <> ${user_id} and m.author_id = ${user_id}`
      const erased = await c.env.sql.transaction(async (sql) => {
        const counts = await count(sql, owned, authored)
        if (!dry_run) await erase(sql, owned, authored)
        return counts
      })
      return ok(c, { erased })
    },
  ),
]

async function count(sql: Sql, owned: SqlFragment, authored: SqlFragment): Promise<Counts> {
  const counts = await sql.row(Counts)`
    with owned as (select s.id from consultations.sessions s where ${owned} for update)
    select (select count(*)::int from owned) as sessions,
      (select count(*)::int from consultations.messages m join owned on owned.id = m.session_id)
        as messages,
      (select count(*)::int from consultations.turns t join owned on owned.id = t.session_id)
        as turns,
      (select count(*)::int from consultations.messages m
        join consultations.sessions s on s.id = m.session_id where ${authored}) as anonymized_messages`
  return counts!
}

/** Messages, attachments, turns and events are deleted with their session. A relay of such a turn loses its lease. */
async function erase(sql: Sql, owned: SqlFragment, authored: SqlFragment): Promise<void> {
  await sql`delete from consultations.sessions s where ${owned}`
  await sql`
    update consultations.messages m set author_id = null
    from consultations.sessions s where s.id = m.session_id and ${authored}`
}
