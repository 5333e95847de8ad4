import { queryTokens } from '../../_kit/tokenize.ts'
import type { CauseProfile } from './cause-profile.ts'

/** Saturation and length normalization of BM25. */
const k1 = 1.2
const b = 0.75

/** Scores each cause by BM25 of the text against all texts of its profile, in the order of the causes. */
export function topicScores(text: string, causes: CauseProfile[]): number[] {
  const documents = causes.map(countTokens)
  const lengths = documents.map((counts) => [...counts.values()].reduce((a, n) => a + n, 0))
  const averageLength = lengths.reduce((a, n) => a + n, 0) / Math.max(1, causes.length)
  const tokens = queryTokens(text)
  const idfs = tokens.map((token) => {
    const containing = documents.filter((counts) => counts.has(token)).length
    return Math.log(1 + (causes.length - containing + 0.5) / (containing + 0.5))
  })
  return documents.map((counts, at) => {
    const norm = k1 * (1 - b + (b * lengths[at]!) / averageLength)
    return tokens.reduce((sum, token, index) => {
      const count = counts.get(token) ?? 0
      return sum + (idfs[index]! * count * (k1 + 1)) / (count + norm)
    }, 0)
  })
}

function countTokens(cause: CauseProfile): Map<string, number> {
  const { name, name_en, description, description_en } = cause
  const texts = [
    ...[name, name_en, description, description_en].filter((each) => each != null),
    ...cause.aliases,
    ...cause.keywords,
    ...cause.cues,
    ...cause.typical_claims,
  ]
  const counts = new Map<string, number>()
  for (const text of texts)
    for (const token of new Set(queryTokens(text))) counts.set(token, (counts.get(token) ?? 0) + 1)
  return counts
}
