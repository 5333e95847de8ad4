import { Fault } from '../../_kit/fault.ts'
import { canonicalJson, sha256Hex } from '../../_kit/hash.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import { type Answer, checkAnswers } from '../answers.ts'
import {
  assertMayAnswer,
  type BuildInput,
  type CardResponse,
  claimCard,
  hashCard,
  loadCards,
  noPendingCard,
  type StoredCard,
} from './cards.ts'
import type { StartedLease } from './start-run.ts'

/** A run that answers started: now (with a lease), or by an earlier request. */
export type ResumedRun = { lease: StartedLease } | { run_id: string }

/**
 * Starts the run that continues after the answers to a card. The same answers again return the run
 * that they started; other answers to an answered card are rejected.
 */
export async function startResume(
  sql: Sql,
  organization: string | undefined,
  response: CardResponse & { answers: Answer[] },
  buildInput: BuildInput,
): Promise<ResumedRun> {
  const { answers, card_id, origin } = response
  const answersHash = await sha256Hex(canonicalJson(answers))
  for (;;) {
    const { pending, stored, head } = await loadCards(sql, organization, response)
    if (!stored || stored.card_id !== pending) {
      if (stored?.status === 'answered' && stored.answers_hash === answersHash)
        return { run_id: stored.resumed_run_id! }
      throw resumeRefusal(stored, pending, card_id)
    }
    assertMayAnswer(stored, response)
    const accepted = checkAnswers(stored.card, answers)
    await assertUnchanged(stored)
    const newRun = { ...(await buildInput(stored, accepted, false, head)), origin }
    const closing = { status: 'answered' as const, answers, answersHash }
    const lease = await claimCard(sql, response, stored, closing, newRun)
    if (lease) return { lease }
    // A concurrent request closed the card. Load it again.
  }
}

/**
 * Starts the run that continues without answers after the pending card is dismissed. Only a card whose
 * skill allows it can be skipped.
 */
export async function startSkip(
  sql: Sql,
  organization: string | undefined,
  response: CardResponse,
  buildInput: BuildInput,
): Promise<StartedLease> {
  for (;;) {
    const { pending, stored, head } = await loadCards(sql, organization, response)
    if (pending === null) throw noPendingCard()
    if (stored?.card_id !== pending)
      throw new Fault('CONFLICT', 'Another card is pending.', { data: { card_id: pending } })
    assertMayAnswer(stored, response)
    if (!stored.skippable)
      throw new Fault('CONFLICT', 'This card cannot be skipped. Answer it instead.', {
        code: 'CARD_REQUIRED',
      })
    const input = await buildInput(stored, {}, true, head)
    const newRun = { ...input, origin: response.origin }
    const closing = { status: 'skipped' as const, answers: [], answersHash: null }
    const lease = await claimCard(sql, response, stored, closing, newRun)
    if (lease) return lease
  }
}

/** A card that was changed after it was shown must not be answered. */
async function assertUnchanged({ card, basis, hash }: StoredCard) {
  if ((await hashCard(card, basis)) !== hash)
    throw new Fault('CONFLICT', 'The stored card differs from the card that was shown. Ask again.')
}

function resumeRefusal(
  stored: StoredCard | null,
  pending: string | null,
  requested: string | undefined,
): Fault {
  if (requested !== undefined && stored?.status === 'answered') {
    return new Fault('CONFLICT', 'The card was answered with other answers before.', {
      code: 'CARD_ANSWERED',
    })
  }
  if (pending === null) return noPendingCard()
  return new Fault('CONFLICT', 'Another card is pending.', {
    code: 'OTHER_CARD_PENDING',
    data: { card_id: pending },
  })
}
