import * as z from 'zod'
import { fragment, type Sql, textArray } from '../../_kit/sql/sql.ts'
import type { Laws } from './context.ts'
import type { LayWords } from './lay-words.ts'
import { questionTerms, type WeightedTerm } from './terms.ts'

/** What is known of the words of a question: other words for them, and which lay words there are. */
export const Known = z.object({
  expansions: z.array(z.object({ target: z.string(), weight: z.number() })),
  lay: z.object({ version: z.int(), words: z.int() }),
})
export type Known = z.infer<typeof Known>

/** Phrases are at most this long, in characters and in words. */
const longest = 12
const longestWords = 5
/** A question longer than this is a document: it has words enough. */
const farthest = 400
/** So many at most, the weightiest first. */
const most = 12

/** A question as it is searched: its terms, and the laws that people ask in such words of. */
export interface Expanded {
  terms: WeightedTerm[]
  laws: Laws
}

const noLaws: Laws = new Map()

/** What is not asked by words. */
export const unasked: Expanded = { terms: [], laws: noLaws }

/** The columns of what is known. */
export const knownOf = (query: string) => fragment`
  (select jsonb_build_object('version', version, 'words', words) from knowledge.lay_words) as lay,
  coalesce((
    select jsonb_agg(jsonb_build_object('target', target, 'weight', weight)
      order by weight desc, target)
    from (select target, max(weight) as weight from knowledge.expansions
      where phrase = any(${textArray(phrasesOf(query.slice(0, farthest)))})
      group by target order by weight desc, target limit ${most}) chosen), '[]') as expansions`

/** A question with other words for what it says, where they are known; undefined switches lay words off. */
export async function expanded(
  { sql, layWords }: { sql: Sql; layWords: LayWords | undefined },
  query: string,
  { expansions, lay }: Known,
): Promise<Expanded> {
  if (!layWords || lay.words === 0) {
    return { terms: questionTerms(query, expansions), laws: noLaws }
  }
  const told = await layWords.told(sql, lay.version, query.slice(0, farthest))
  return { terms: questionTerms(query, expansions, told.words), laws: told.laws }
}

/** A phrase as it is kept. */
export const phraseOf = (text: string) =>
  text.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ')

/** Everything in a question that may be a phrase: stretches of Han text, and of other words. */
export function phrasesOf(query: string): string[] {
  const found = new Set<string>()
  const text = phraseOf(query)
  for (const [run] of text.matchAll(/\p{Script=Han}+/gu)) {
    for (let from = 0; from < run.length; from++) {
      for (let to = from + 2; to <= Math.min(run.length, from + longest); to++) {
        found.add(run.slice(from, to))
      }
    }
  }
  const latin = text.match(/[[\p{L}\d'\-]--\p{Script=Han}]+/gv) ?? []
  for (let from = 0; from < latin.length; from++) {
    for (let to = from + 1; to <= Math.min(latin.length, from + longestWords); to++) {
      found.add(latin.slice(from, to).join(' '))
    }
  }
  return [...found]
}
