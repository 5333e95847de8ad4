import type { Context } from 'hono'
import type { Env } from '../_kit/context.ts'
import type { Deps } from './deps.ts'
import { assertReadable } from './file-access.ts'
import type { TurnSession } from './session.ts'
import { type Speaker, speakerHeaders } from './speaker.ts'
import { detectLanguage } from './texts.ts'
import type { TurnRequest } from './turn/open-turn.ts'
import { type RelayedTurn, startOrJoinTurn } from './turn/run-turn.ts'

export type RequestContext = Context<Env<Deps>>

/** Content of a turn. `written` is the person's own text; it sets the language of generated texts. */
export type TurnContent = Pick<
  TurnRequest,
  'request' | 'content' | 'file_ids' | 'metadata' | 'refused_turn_id'
> & {
  written: string
}

/** Starts a turn for a speaker who may read all its files, or joins the turn of the same client_message_id. */
export async function startTurn(
  c: RequestContext,
  session: TurnSession,
  speaker: Speaker,
  { written, ...content }: TurnContent,
  client_message_id: string | undefined,
): Promise<RelayedTurn> {
  const { requestId, traceparent } = c.var
  const identity = { organizationId: session.organization_id, requestId, traceparent }
  await assertReadable(c.env.files, content.file_ids, speakerHeaders(speaker, identity))
  return startOrJoinTurn(c.env, session.id, {
    ...content,
    speaker,
    language: detectLanguage(written) ?? session.language ?? detectLanguage(session.title ?? ''),
    client_message_id,
    request_id: requestId,
    traceparent,
  })
}
