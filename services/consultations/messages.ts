import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { JsonObject } from '../_kit/fields.ts'
import { newId } from '../_kit/ids.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, json, type Sql } from '../_kit/sql/sql.ts'
import { get, post } from './deps.ts'
import { Message, messageColumns } from './message.ts'
import { bodySchema } from './playbook.ts'
import {
  Identity,
  resolvePerson,
  serviceGuard,
  userGuard,
  visibleToService,
  visibleToUser,
} from './scope.ts'
import { ById, BySessionId, loadSession } from './session.ts'

const NewMessage = z.object({
  content: z.string().max(200_000),
  metadata: JsonObject.default({}),
  dedupe_key: z.string().min(1).max(200).nullish(),
})
type NewMessage = z.output<typeof NewMessage>

const internal = '/api/v1/internal/sessions/:sessionId/messages'

export const messages = [
  get(
    '/api/v1/consultations/sessions/:id/messages',
    {
      summary: 'List the messages of a session, oldest first',
      guard: userGuard,
      params: ById,
      query: PageQuery.extend(Identity.shape),
      responses: { 200: pageSchema(Message) },
    },
    async (c, { params, query }) => {
      const { id } = await loadSession(c.env.sql, visibleToUser(resolvePerson(c, query)), params.id)
      const from = fragment`consultations.messages m where m.session_id = ${id}`
      return ok(
        c,
        await selectPage(c.env.sql, Message, query, {
          columns: messageColumns,
          from,
          order: fragment`m.seq`,
        }),
      )
    },
  ),

  get(
    `${internal}/recent`,
    {
      summary: 'List the newest messages of a session, oldest first',
      guard: serviceGuard,
      params: BySessionId,
      query: z.object({ limit: z.coerce.number().int().min(1).max(200).default(20) }),
      responses: { 200: z.object({ messages: z.array(Message) }) },
    },
    async (c, { params, query }) => {
      const { id } = await loadSession(c.env.sql, visibleToService(c.var.caller), params.sessionId)
      return ok(c, { messages: await loadRecentMessages(c.env.sql, id, query.limit) })
    },
  ),

  post(
    `${internal}/assistant`,
    {
      summary: 'Create an assistant message',
      description: 'A repeated dedupe_key returns the existing message (200).',
      guard: serviceGuard,
      params: BySessionId,
      body: bodySchema(NewMessage),
      example: { content: '您的材料已经收到。', metadata: {}, dedupe_key: 'received-1' },
      responses: { 200: Message, 201: Message },
      idempotencyKey: true,
    },
    async (c, { params, body }) => {
      const { id } = await loadSession(c.env.sql, visibleToService(c.var.caller), params.sessionId)
      const { message, created } = await c.env.sql.transaction((sql) =>
        addAssistantMessage(sql, id, body),
      )
      return ok(c, message, created ? 201 : 200)
    },
  ),
]

export async function loadRecentMessages(
  sql: Sql,
  session: string,
  limit: number,
): Promise<Message[]> {
  const rows = await sql.rows(Message)`
    select ${messageColumns} from consultations.messages m
    where m.session_id = ${session} order by m.seq desc limit ${limit}`
  return rows.reverse()
}

export async function addAssistantMessage(
  sql: Sql,
  session: string,
  { content, metadata, dedupe_key }: NewMessage,
) {
  await sql`select 1 from consultations.sessions where id = ${session} for update`
  const existing =
    dedupe_key &&
    (await sql.row(Message)`
      select ${messageColumns} from consultations.messages m
      where m.session_id = ${session} and m.dedupe_key = ${dedupe_key}`)
  if (existing) return { message: existing, created: false }
  const message = await sql.row(Message)`
    with s as (
      update consultations.sessions set last_seq = last_seq + 1, last_message_at = now(),
        updated_at = now()
      where id = ${session} returning last_seq),
    m as (
      insert into consultations.messages (id, session_id, seq, role, author_type, content, metadata,
        dedupe_key)
      select ${newId()}::uuid, ${session}::uuid, last_seq, 'ASSISTANT', 'assistant', ${content}::text,
        ${json(metadata)}, ${dedupe_key ?? null}::text from s returning *)
    select ${messageColumns} from m`
  return { message: message!, created: true }
}
