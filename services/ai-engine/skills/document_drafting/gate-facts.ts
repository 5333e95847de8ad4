import * as z from 'zod'
import type { Facts } from '../../facts.ts'
import type { CaseFact, CaseFile } from '../_shared/case-file.ts'
import { maxShownFacts } from '../_shared/read-back.ts'
import { answerKey, answersPrefix } from '../calculation/input-source.ts'
import { Contradiction } from '../intake_collection/contradictions.ts'
import type { Details } from './draft-basis.ts'
import type { GateFact, GateFault } from './gate.ts'

/** Facts that the documents may state: those of the case, the answers to cards and the names for the forms. */
export function listGateFacts(
  { facts }: CaseFile,
  known: Facts,
  { client_name, opposing_name }: Details,
): Map<string, GateFact> {
  const answers = Object.entries(known).flatMap(([name, { value, confirmed }]) =>
    value == null ? [] : ([[`${answersPrefix}${answerKey(name)}`, { value, confirmed }]] as const),
  )
  const named = (key: string, value: string | null | undefined) =>
    value ? ([[key, { value, confirmed: true }]] as const) : []
  return new Map<string, GateFact>([
    ...answers,
    ...facts.map(({ key, value, confirmed }) => [key, { value, confirmed }] as const),
    ...named('drafting.client_name', client_name),
    ...named('intake.opposing_party', opposing_name),
  ])
}

/** Sums of which the sources say different things and the person has not chosen one. */
export function listContradicted(intake: Record<string, unknown>, facts: Facts): number[] {
  const contradictions = z.array(Contradiction).safeParse(intake.contradictions).data ?? []
  return contradictions
    .filter(({ key }) => facts[key]?.value == null)
    .flatMap(({ stated, file }) => [stated.value, file.value])
    .filter((value) => typeof value === 'number')
}

/** The unconfirmed facts that keep a document back, as many as a card reads back. */
export const unconfirmedFacts = (faults: GateFault[], { facts }: CaseFile): CaseFact[] =>
  facts
    .filter(({ key }) => faults.some((fault) => fault.rule === 'unconfirmed' && fault.fact === key))
    .slice(0, maxShownFacts)

/** True for a fault that ends with the confirmation of the facts which the card shows. */
export const isConfirmable = ({ rule, fact }: GateFault, shownKeys: Set<string>): boolean =>
  rule === 'unconfirmed' && fact !== undefined && shownKeys.has(fact)
