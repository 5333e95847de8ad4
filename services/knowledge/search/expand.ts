import * as z from 'zod'
import { type Sql, texts } from '../../_kit/sql/sql.ts'

const Expansion = z.object({ target: z.string(), weight: z.number() })

/** Phrases are at most this long, in characters and in words. */
const longest = 12
const longestWords = 5
/** A question longer than this is a document: it has words enough. */
const farthest = 400
/** So many at most, the weightiest first. */
const most = 12

/** Other words for what a question says, where the question has a phrase that we know. */
export async function expansionsOf(sql: Sql, query: string) {
  const phrases = phrasesOf(query)
  if (phrases.length === 0) return []
  return sql.rows(Expansion)`
    select target, max(weight) as weight from knowledge.expansions
    where phrase = any(${texts(phrases)}) group by target order by weight desc, target limit ${most}`
}

/** A phrase as it is kept. */
export const phraseOf = (text: string) =>
  text.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ')

/** Everything in a question that may be a phrase: stretches of Han text, and of other words. */
export function phrasesOf(query: string): string[] {
  const found = new Set<string>()
  const text = phraseOf(query).slice(0, farthest)
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
