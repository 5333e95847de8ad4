import type { Candidate } from '../fetch/candidate.ts'
import { lettersAndDigits, multiCharacterTokens } from '../fetch/rescore-fields.ts'
import { byScore } from './scored-chunk.ts'

/** Largest bonus for query words in the title, in the section name, and for a phrase; shares of the best score. */
const titleBonus = 0.02
const sectionBonus = 0.02
const phraseBonus = 0.04
const minPhraseLength = 4
/** Start positions of a phrase that are tried; later ones cost time and rarely match. */
const maxPhraseStart = 200
/** A phrase of this length earns the whole bonus. */
const fullPhraseLength = 12

/** Rescores the first `depth` candidates by title, section and phrase; the rest keep their order. */
export function rescoreByPhrase(
  query: string,
  candidates: readonly Candidate[],
  depth: number,
): Candidate[] {
  const top = candidates[0]?.score ?? 0
  const queryTokens = multiCharacterTokens(query)
  const queryLetters = lettersAndDigits(query)
  const rescored = candidates.slice(0, depth).map(({ base, seq, score, chunk }) => {
    const bonus =
      titleBonus * termOverlap(queryTokens, chunk.fields.titleTokens) +
      sectionBonus * termOverlap(queryTokens, chunk.fields.sectionTokens) +
      phraseBonus * phraseOverlap(queryLetters, chunk.fields.letters)
    return { base, seq, score: score + top * bonus, chunk }
  })
  rescored.sort(byScore)
  return [...rescored, ...candidates.slice(depth)]
}

/** Share of a short text's tokens that the query has, from 0 to 1. */
function termOverlap(queryTokens: ReadonlySet<string>, tokens: ReadonlySet<string>): number {
  if (tokens.size === 0) return 0
  let shared = 0
  for (const word of tokens) if (queryTokens.has(word)) shared++
  return shared / tokens.size
}

/** Length of the longest query substring that the text contains, scaled to 0–1. */
function phraseOverlap(query: string, text: string): number {
  let matchedLength = 0
  for (let from = 0; from + Math.max(minPhraseLength, matchedLength + 1) <= query.length; from++) {
    let to = from + Math.max(minPhraseLength, matchedLength + 1)
    while (to <= query.length && text.includes(query.slice(from, to))) {
      matchedLength = to - from
      to++
    }
    if (from > maxPhraseStart) break
  }
  return matchedLength === 0
    ? 0
    : Math.min(1, matchedLength / Math.min(query.length, fullPhraseLength))
}
