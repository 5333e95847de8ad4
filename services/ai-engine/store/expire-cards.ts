import * as z from 'zod'
import { Id } from '../../_kit/fields.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import { type BuildInput, claimCard, loadCards, type StoredCard } from './cards.ts'
import { insertRunNotice } from './notices.ts'
import type { StartedLease } from './start-run.ts'

const DueCard = z.object({ card_id: Id, thread_id: z.string(), organization_id: z.string() })

/** How a run continues after the deadline of a card. */
export interface ExpiryInputs {
  build: BuildInput
  /** Input of a run that ends as failed. */
  fail: (card: StoredCard) => ReturnType<BuildInput>
  /** Called for a card that could not be closed. It is tried again. */
  onFailure: (card_id: string, thrown: unknown) => void
}

/**
 * Closes pending cards whose deadline has passed and starts the runs that follow. The claim of a card is
 * one conditional statement, so each deadline takes effect exactly once, whatever process fails.
 */
export async function expireCards(
  sql: Sql,
  limit: number,
  inputs: ExpiryInputs,
): Promise<StartedLease[]> {
  const due = await sql.rows(DueCard)`
    select c.card_id, c.thread_id, t.organization_id
    from ai_engine.cards c
    join ai_engine.threads t on t.card_id = c.card_id and t.status = 'interrupted'
    where c.status = 'pending' and c.expires_at <= now()
    order by c.expires_at limit ${limit}`
  const leases: StartedLease[] = []
  for (const card of due) {
    // A card that fails must not keep later ones from expiring.
    const lease = await expireCard(sql, card, inputs).catch((thrown) =>
      inputs.onFailure(card.card_id, thrown),
    )
    if (lease) leases.push(lease)
  }
  return leases
}

async function expireCard(
  sql: Sql,
  { card_id, thread_id, organization_id }: z.infer<typeof DueCard>,
  inputs: ExpiryInputs,
): Promise<StartedLease | undefined> {
  const { stored, head } = await loadCards(sql, organization_id, { thread_id, card_id })
  if (stored?.status !== 'pending') return undefined
  const input = await buildExpiryInput(stored, head, inputs)
  const response = {
    thread_id,
    user_id: null,
    card_id,
    origin: { request_id: '', traceparent: '' },
  }
  const closing = { status: 'expired' as const, answers: [], answersHash: null }
  const newRun = { ...input, origin: response.origin }
  return claimCard(sql, response, stored, closing, newRun, insertRunNotice(card_id))
}

/** A card that the installed version cannot continue ends its thread's wait as failed. */
async function buildExpiryInput(card: StoredCard, head: number, { build, fail }: ExpiryInputs) {
  if (card.on_expiry === 'fail') return fail(card)
  const skipped = card.on_expiry !== 'default'
  const answers = skipped ? {} : defaultAnswers(card)
  return build(card, answers, skipped, head).catch(() => fail(card))
}

const defaultAnswers = ({ card }: StoredCard) =>
  Object.fromEntries(
    card.questions.map(({ field_key, default: value }) => [field_key, value ?? null]),
  )
