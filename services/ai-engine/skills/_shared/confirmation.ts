import * as z from 'zod'
import { canonicalJson } from '../../../_kit/hash.ts'
import { type Fact, type Facts, makeFact } from '../../facts.ts'

/** A fact that a card read back to the person. */
export const ShownFact = z.object({
  /** Key without `intake.`. */
  name: z.string(),
  value: z.unknown(),
  quote: z.string().nullable(),
})
export type ShownFact = z.output<typeof ShownFact>

/** Texts of the person that documents repeat to the letter. */
const ownWords = new Set(['what_happened', 'aim'])

/** True for words of the person, and for files that the person gave. */
export const isOwnStatement = (name: string, value: unknown, texts: string[]): boolean =>
  name === 'evidence_files' ||
  (ownWords.has(name) &&
    typeof value === 'string' &&
    value.split(/[；\n]/).every((part) => texts.some((text) => text.includes(part.trim()))))

/** Member of the profile of a matter that lists the facts in it that nobody confirmed. */
const unconfirmedMember = 'unconfirmed_facts'

/** Names of the facts in the profile of a matter that nobody confirmed. */
export const readUnconfirmed = (profile: Record<string, unknown>): string[] =>
  z.array(z.string()).safeParse(profile[unconfirmedMember]).data ?? []

/**
 * The member of the profile that lists the facts that nobody confirmed. One that the person rejected stays on the
 * list, because the profile still holds the value that was read.
 */
export const unconfirmedProfile = (
  facts: Facts,
  texts: string[],
  profile: Record<string, unknown> | null | undefined,
) => ({
  [unconfirmedMember]: Object.entries(facts)
    .filter(([name, { value, confirmed }]) =>
      value == null
        ? readUnconfirmed(profile ?? {}).includes(name)
        : !confirmed && !isOwnStatement(name, value, texts),
    )
    .map(([name]) => name)
    .sort(),
})

/**
 * The facts that a person confirmed on a card. A fact that has changed since it was shown is left out: the
 * person saw another value.
 */
export const confirmShown = (shown: ShownFact[], facts: Facts): Facts =>
  Object.fromEntries(
    shown.flatMap(({ name, value, quote }): [string, Fact][] => {
      const known = facts[name] ?? makeFact(value, 'rules', quote)
      return isSameValue(known.value, value) ? [[name, { ...known, confirmed: true }]] : []
    }),
  )

/** The facts that a person rejected: they are unknown until the person states them. */
export const rejectShown = (shown: ShownFact[]): Facts =>
  Object.fromEntries(shown.map(({ name }) => [name, makeFact(null, 'answer')]))

/** Compares two JSON values. */
export const isSameValue = (a: unknown, b: unknown): boolean =>
  canonicalJson(a ?? null) === canonicalJson(b ?? null)
