import * as z from 'zod'
import { fragment, textArray } from '../../../_kit/sql/sql.ts'

/** Stored expansions of a query's phrases, and the version and number of lay words. */
export const ExpansionData = z.object({
  expansions: z.array(z.object({ target: z.string(), weight: z.number() })),
  lay: z.object({ version: z.int(), words: z.int() }),
})
export type ExpansionData = z.infer<typeof ExpansionData>

/** Longest phrase, in Han characters and in words of other scripts. */
const maxPhraseLength = 12
const maxPhraseWords = 5
/** Characters of a query in which phrases are looked up. A longer query is a document and names things itself. */
const maxPhraseText = 400
const maxExpansions = 12

/** Columns of `ExpansionData`. */
export const expansionColumns = (query: string) => fragment`
  (select jsonb_build_object('version', version, 'words', words) from knowledge.lay_words) as lay,
  coalesce((
    select jsonb_agg(jsonb_build_object('target', target, 'weight', weight)
      order by weight desc, target)
    from (select target, max(weight) as weight from knowledge.expansions
      where phrase = any(${textArray(candidatePhrases(query.slice(0, maxPhraseText)))})
      group by target order by weight desc, target limit ${maxExpansions}) best), '[]') as expansions`

/** Normalizes a phrase as the table of expansions stores it. */
export const normalizePhrase = (text: string) =>
  text.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ')

/** All substrings of a query that may be a stored phrase: runs of Han characters and of words. */
export function candidatePhrases(query: string): string[] {
  const phrases = new Set<string>()
  const text = normalizePhrase(query)
  for (const [run] of text.matchAll(/\p{Script=Han}+/gu)) {
    for (let from = 0; from < run.length; from++) {
      for (let to = from + 2; to <= Math.min(run.length, from + maxPhraseLength); to++) {
        phrases.add(run.slice(from, to))
      }
    }
  }
  const words = text.match(/[[\p{L}\d'\-]--\p{Script=Han}]+/gv) ?? []
  for (let from = 0; from < words.length; from++) {
    for (let to = from + 1; to <= Math.min(words.length, from + maxPhraseWords); to++) {
      phrases.add(words.slice(from, to).join(' '))
    }
  }
  return [...phrases]
}
