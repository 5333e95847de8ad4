import type { CaseFact, CaseFile } from './case-file.ts'
import type { ShownFact } from './confirmation.ts'
import { joinFact, wordFact } from './word-fact.ts'

/** Facts that a card reads back at most; the others are on the next card. */
export const maxShownFacts = 10

/** A question has at most 2,000 characters; every line must fit in. */
const maxLineChars = 110
const maxQuoteChars = 40

/** Facts as a card shows them and its state keeps them. */
export const toShown = (facts: CaseFact[]): ShownFact[] =>
  facts
    .slice(0, maxShownFacts)
    .map(({ key, value, quote }) => ({ name: key.replace(/^intake\./, ''), value, quote }))

/** Lines of a card that read facts back, each with the passage that it was read from. */
export function readBackLines(facts: CaseFact[], caseFile: CaseFile): string[] {
  const { language } = caseFile
  return facts.slice(0, maxShownFacts).map((fact) => {
    const line = joinFact(wordFact(fact, caseFile, language), language).slice(0, maxLineChars)
    if (!fact.quote) return `- ${line}`
    const quote =
      fact.quote.length > maxQuoteChars ? `${fact.quote.slice(0, maxQuoteChars)}…` : fact.quote
    return fact.found_by === 'file'
      ? { zh: `- ${line}（材料写明：“${quote}”）`, en: `- ${line} (a file says: “${quote}”)` }[
          language
        ]
      : { zh: `- ${line}（您写道：“${quote}”）`, en: `- ${line} (you wrote: “${quote}”)` }[language]
  })
}
