import * as z from 'zod'
import { findPhrase } from '../../causes/find-phrase.ts'
import { splitClauses } from '../_shared/clauses.ts'
import type { Language } from '../_shared/language.ts'
import type { Recognition } from '../intake_collection/cause.ts'

export const Candidate = z.object({
  code: z.string(),
  name: z.string(),
  score: z.number().min(0).max(1),
  reasons: z.array(z.object({ quote: z.string(), why: z.string() })),
})
export type Candidate = z.output<typeof Candidate>

/** Raw score at which a candidate has a score of one half. */
const halfScore = 3
/** Raw score that a candidate needs: more than one technical term. */
const minRawScore = 2
/** Share of the best raw score below which a candidate is left out. */
const minShare = 0.25
const maxReasons = 5

/** Turns the ranking by rules into candidates. A cause without a passage of the text is left out. */
export function toCandidates(
  { candidates, causes }: Recognition,
  text: string,
  language: Language,
): Candidate[] {
  const best = candidates[0]?.score ?? 0
  return candidates
    .filter(({ score }) => score >= minRawScore && score >= minShare * best)
    .flatMap(({ code, score, quotes }) => {
      const cause = causes.find((each) => each.code === code)
      const name = (language === 'en' ? cause?.name_en : undefined) ?? cause?.name ?? code
      const reasons = quotes
        .flatMap((phrase) => {
          const quote = clauseWith(text, phrase)
          return quote === undefined ? [] : [{ quote, why: whyText(phrase, name)[language] }]
        })
        .filter(({ quote }, index, all) => all.findIndex((each) => each.quote === quote) === index)
      if (reasons.length === 0) return []
      const share = Math.round((score / (score + halfScore)) * 100) / 100
      return [{ code, name, score: share, reasons: reasons.slice(0, maxReasons) }]
    })
}

/** The clause of the text that contains a phrase, to the letter. */
const clauseWith = (text: string, phrase: string): string | undefined =>
  splitClauses(text)
    .find((clause) => findPhrase(clause.normalize('NFKC').toLowerCase(), phrase) !== undefined)
    ?.slice(0, 200)

const whyText = (phrase: string, name: string) => ({
  zh: `“${phrase}”是${name}中常见的表述。`,
  en: `“${phrase}” is typical of: ${name}.`,
})
