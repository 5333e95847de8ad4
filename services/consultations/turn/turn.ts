import * as z from 'zod'
import { Id, Json } from '../../_kit/fields.ts'
import { fragment } from '../../_kit/sql/sql.ts'
import { AuthorType } from '../speaker.ts'

/** Input of a run: a message, the answers to a card, a skipped card, or an expired card. */
export const EngineRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('chat'), message: z.string(), file_ids: z.array(z.string()) }),
  z.object({
    kind: z.literal('resume'),
    card_id: z.string(),
    answers: z.array(
      z.object({ field_key: z.string(), value: Json, unknown: z.literal(true).optional() }),
    ),
  }),
  z.object({ kind: z.literal('skip'), card_id: z.string() }),
  z.object({ kind: z.literal('expiry'), card_id: z.string() }),
])
export type EngineRequest = z.infer<typeof EngineRequest>

/** A claimed turn with the fields of its session that starting a run needs. */
export const Turn = z.object({
  id: Id,
  session_id: Id,
  organization_id: z.string(),
  user_id: z.string(),
  user_type: z.string().nullable(),
  thread_id: z.string(),
  matter_id: z.string().nullable(),
  title: z.string().nullable(),
  service_type_id: z.string().nullable(),
  session_file_ids: z.array(z.string()),
  /** Files of all messages of the session, this turn's included; oldest first. */
  attached_file_ids: z.array(z.string()),
  language: z.enum(['zh', 'en']).nullable(),
  author_id: z.string(),
  author_type: AuthorType,
  stop_requested: z.boolean(),
  request: EngineRequest,
  request_id: z.string(),
  traceparent: z.string(),
  user_message_id: Id,
  message_id: Id,
  run_id: Id.nullable(),
  engine_seq: z.int(),
  last_event_no: z.int(),
  token: z.int(),
  /** Status before the claim. */
  before: z.enum(['RUNNING', 'BROKEN', 'REFUSED']),
})
export type Turn = z.infer<typeof Turn>

/** The fields of a turn that a relay keeps in memory while the run lasts. */
const RelayTurn = Turn.pick({
  id: true,
  organization_id: true,
  thread_id: true,
  language: true,
  author_id: true,
  author_type: true,
  matter_id: true,
  request_id: true,
  traceparent: true,
  message_id: true,
  run_id: true,
  engine_seq: true,
  last_event_no: true,
  token: true,
})
export type RelayTurn = z.infer<typeof RelayTurn>
export const toRelayTurn = (turn: Turn): RelayTurn => RelayTurn.parse(turn)

/** Columns of `Turn`; t is the turn, s its session. */
export const turnColumns = fragment`
  t.id, t.session_id, s.organization_id, s.user_id, s.user_type, s.thread_id, s.matter_id, s.title,
  s.service_type_id, s.file_ids as session_file_ids, s.language, t.author_id, t.author_type,
  t.stop_requested,
  coalesce((
    select jsonb_agg(f.id order by a.created_at, a.message_id, f.no)
    from consultations.attachments a,
      jsonb_array_elements_text(a.file_ids) with ordinality as f (id, no)
    where a.session_id = s.id), '[]') as attached_file_ids,
  t.request, t.request_id, t.traceparent,
  t.user_message_id, t.message_id, t.run_id, t.engine_seq, t.last_event_no,
  t.token`

/** Lease of a turn and of a relay. A commit renews that of the turn; a relay renews its own while turns are silent. */
export const leaseMs = 6_000
export const leaseUntil = () => fragment`now() + ${leaseMs} * interval '1 millisecond'`
/** Lease until the run has started: matter-service and the engine are called first and may be slow. */
const startLeaseMs = 60_000
export const startLeaseUntil = fragment`now() + ${startLeaseMs} * interval '1 millisecond'`
/** Allowance for clock skew between this process and the database. */
export const clockSkewMs = 1_000

/** Another process relays the turn. Nothing more may be written or published for it. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

/** Condition on the row of a turn whose lease this process holds. */
export const leaseHeld = ({ id, token }: Pick<Turn, 'id' | 'token'>) =>
  fragment`id = ${id} and token = ${token} and status = 'RUNNING'`

/** Headers of calls to other services for a turn: the speaker's identity. */
export const peerHeaders = (turn: RelayTurn): Record<string, string> => ({
  'x-organization-id': turn.organization_id,
  'x-user-id': turn.author_id,
  'x-user-type': turn.author_type,
  'x-request-id': turn.request_id,
  traceparent: turn.traceparent,
})

/** Limit of ai-engine and matter-service on file ids per request. */
const maxFileIds = 200

/** The newest files of the session and of its messages. */
export const turnFileIds = ({ session_file_ids, attached_file_ids }: Turn): string[] =>
  [...new Set([...session_file_ids, ...attached_file_ids])].slice(-maxFileIds)
