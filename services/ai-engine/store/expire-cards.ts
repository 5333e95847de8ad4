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
}

/**
 * Closes pending cards whose deadline has passed and starts the runs that follow. The claim of a card is
 * one conditional statement, so each deadline takes effect exactly once, whatever process fails.
 */
export async function expireCards(
  sql: Sql,
  limit: number,
  { build, fail }: ExpiryInputs,
): Promise<StartedLease[]> {
  const due = await sql.rows(DueCard)`
    select c.card_id, c.thread_id, t.organization_id
    from ai_engine.cards c
    join ai_engine.threads t on t.card_id = c.card_id and t.status = 'interrupted'
    where c.status = 'pending' and c.expires_at <= now()
    order by c.expires_at limit ${limit}`
  const leases: StartedLease[] = []
  for (const { card_id, thread_id, organization_id } of due) {
    const { stored, head } = await loadCards(sql, organization_id, { thread_id, card_id })
    if (stored?.status !== 'pending') continue
    const input = await buildExpiryInput(stored, head, { build, fail })
    const response = {
      thread_id,
      user_id: null,
      card_id,
      origin: { request_id: '', traceparent: '' },
    }
    const closing = { status: 'expired' as const, answers: [], answersHash: null }
    const newRun = { ...input, origin: response.origin }
    const lease = await claimCard(sql, response, stored, closing, newRun, insertRunNotice(card_id))
    if (lease) leases.push(lease)
  }
  return leases
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
