import * as z from 'zod'
import { ExternalId, Json } from '../_kit/fields.ts'
import { json, type Sql } from '../_kit/sql/sql.ts'
import { fileIdsIn, formatAnswers } from './answer-text.ts'
import type { TurnSession } from './session.ts'
import type { Speaker } from './speaker.ts'
import type { RequestContext } from './start-turn.ts'
import { detectLanguage } from './texts.ts'
import { type Card, loadPendingCard } from './turn/engine.ts'
import { noPendingCard, turnInProgress } from './turn/run-turn.ts'
import { ClientMessageId, turnEndpoints } from './turn-endpoints.ts'

const Answer = z.object({
  field_key: z.string().min(1).max(300),
  value: Json,
  unknown: z
    .boolean()
    .optional()
    .describe('True: the person does not know. Accepted for every question, with value null.'),
})
type Answer = z.output<typeof Answer>

const Resume = z.object({
  user_id: ExternalId.optional(),
  user_response: z.object({ answers: z.array(Answer).max(100) }),
  card_id: z
    .string()
    .max(200)
    .optional()
    .describe('Card that is answered. Default: the pending card.'),
  client_message_id: ClientMessageId,
})

export const resume = turnEndpoints({
  stream: {
    path: '/api/v1/consultations/sessions/:id/resume',
    summary: 'Answer the pending card and stream the reply',
  },
  wait: {
    path: '/api/v1/internal/sessions/:sessionId/resume',
    summary: 'Answer the pending card and wait for the reply',
  },
  description:
    'Without a pending card: 409 NO_PENDING_CARD. A missing required answer, an unknown field_key or a value of the wrong type: 400 before anything runs. A file is answered by an array of fileIds, a date as YYYY-MM-DD, money as a number; every question accepts value null with unknown true.',
  body: Resume,
  example: {
    user_id: 7,
    user_response: { answers: [{ field_key: 'intake_collection.amount', value: 100_000 }] },
  },
  async buildContent(c, session, { user_response, card_id, client_message_id }, speaker) {
    const { answers } = user_response
    // Names and choices say nothing about the language: the messages of the session do.
    const written = session.language === null ? textsIn(answers) : ''
    const sent = answers.map(({ field_key, value = null, unknown }) => ({
      field_key,
      value,
      ...(unknown && { unknown: true as const }),
    }))
    const card = await loadAnsweredCard(c, session, client_message_id, speaker, sent)
    return {
      request: { kind: 'resume', card_id: card_id ?? card.card_id, answers: sent },
      refused_turn_id: card.refused_turn_id,
      content: formatAnswers(card, answers, session.language ?? detectLanguage(written)),
      written,
      file_ids: fileIdsIn(card, answers),
      metadata: { card_id: card.card_id, answers },
    }
  },
})

/** Text that the person wrote in the answers, for the detection of the language. */
const textsIn = (answers: Answer[]): string =>
  answers.flatMap(({ value }) => (typeof value === 'string' ? value : [])).join(' ')

const EarlierResume = z.object({ card_id: z.string() })
const RefusedResume = EarlierResume.extend({ refused_turn_id: z.string() })
const SessionBusy = z.object({ busy: z.boolean() })

interface AnsweredCard extends Pick<Card, 'card_id' | 'questions'> {
  refused_turn_id?: string
}

/**
 * Loads the pending card, or the card that an earlier request answered: one with the same client_message_id, or the
 * last one if it was refused with the same answers of this person. The engine may have accepted them before it failed.
 */
async function loadAnsweredCard(
  c: RequestContext,
  { id, thread_id, organization_id, language }: TurnSession,
  client_message_id: string | undefined,
  { userId }: Speaker,
  answers: unknown[],
): Promise<AnsweredCard> {
  const { sql, engine } = c.env
  const earlier =
    client_message_id !== undefined &&
    (await sql.row(EarlierResume)`
      select request->>'card_id' as card_id from consultations.turns
      where session_id = ${id} and client_message_id = ${client_message_id} and kind = 'resume'`)
  if (earlier) return { ...earlier, questions: [] }
  const { card } = await loadPendingCard(engine, thread_id, {
    'x-organization-id': organization_id,
    'x-request-id': c.var.requestId,
    traceparent: c.var.traceparent,
  })
  if (card) return card
  const state = await sql.row(SessionBusy)`
    select turn_id is not null as busy from consultations.sessions where id = ${id}`
  if (state?.busy) throw turnInProgress(language)
  const refused = await loadRefusedResume(sql, id, userId, answers)
  if (refused) return { ...refused, questions: [] }
  throw noPendingCard(language)
}

const loadRefusedResume = (sql: Sql, session: string, author: string, answers: unknown[]) =>
  sql.row(RefusedResume)`
    select id as refused_turn_id, request->>'card_id' as card_id from (
      select id, kind, status, author_id, request from consultations.turns
      where session_id = ${session} order by id desc limit 1) last
    where kind = 'resume' and status = 'REFUSED' and author_id = ${author}
      and request->'answers' = ${json(answers)}`
