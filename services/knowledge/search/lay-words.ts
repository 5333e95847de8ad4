import * as z from 'zod'
import { type Sql, textArray } from '../../_kit/sql/sql.ts'
import { tokenize } from '../../_kit/tokenize.ts'
import type { Laws, LawTold } from './context.ts'
import { Lru } from './lru.ts'
import type { Expansion } from './terms.ts'

const Weights = z.record(z.string().min(1).max(200), z.number().min(-1_000).max(1_000))

/** What a word of a question tells: words that statutes say for it, and laws that it is asked of. */
export const LayWord = z
  .object({
    word: z
      .string()
      .max(100)
      .describe(
        'As searches divide a question: a character, a pair of characters, a word of another script in lower case. The empty one is in every question.',
      ),
    words: Weights.default({}).describe('Words of statutes, with their weights.'),
    laws: Weights.default({}).describe('Laws by name, with how likely the word makes them.'),
    articles: z
      .record(z.string().min(1).max(300), Weights)
      .default({})
      .describe('Articles of laws: by the name of the law, and by their number.'),
  })
  .meta({ id: 'LayWord' })
export type LayWord = z.output<typeof LayWord>

/** What all words of a question tell together. */
export interface Told {
  words: Expansion[]
  laws: Laws
}

/** Words that are added to a question, at most. */
const mostWords = 60
/** A law this likely is as good as certain: many words point to the laws that are asked of most. */
const certain = 0.07
/** The same of a place, where what is told of all articles about it is summed. */
const certainPlace = 0.15
/** What an article tells of others falls off by how far they are. */
const reach = Float64Array.from({ length: 26 }, (_, far) => Math.exp(-far / 8))

/** A single character tells half of what a pair does; and the empty word is in every question. */
const ofCharacter = 0.5
const ofEvery = 0.5
const scale = 0.25

/** The words of a question, each with its share in it: a long question says no more than a short one. */
export function sharesOf(query: string): Map<string, number> {
  const shares = new Map<string, number>()
  for (const word of tokenize(query)) shares.set(word, word.length === 1 ? ofCharacter : 1)
  const length = Math.hypot(...shares.values())
  for (const [word, share] of shares) shares.set(word, (scale * share) / length)
  return shares.set('', ofEvery)
}

/** What the words of a question tell, each by its share; only what speaks for something. */
export function told(shares: ReadonlyMap<string, number>, known: Iterable<LayWord>): Told {
  const words = new Map<string, number>()
  const laws = new Map<string, number>()
  const articles = new Map<string, Map<string, number>>()
  for (const each of known) {
    const share = shares.get(each.word) ?? 0
    addTo(words, each.words, share)
    addTo(laws, each.laws, share)
    for (const law in each.articles) {
      const own = articles.get(law) ?? new Map()
      addTo(own, each.articles[law]!, share)
      articles.set(law, own)
    }
  }
  const all = new Set([...laws.keys(), ...articles.keys()])
  return {
    words: Array.from(words, ([target, weight]) => ({ target, weight }))
      .filter(({ weight }) => weight > 0)
      .sort((a, b) => b.weight - a.weight || (a.target < b.target ? -1 : 1))
      .slice(0, mostWords),
    laws: new Map(
      Array.from(all, (law): [string, LawTold] => {
        const own = articles.get(law) ?? none
        const fit = fitOf(laws.get(law) ?? 0, certain)
        return [law, { fit, articles: own, about: aboutOf(own) }]
      }),
    ),
  }
}

const none: ReadonlyMap<string, number> = new Map()

/** From 0 to 1. */
const fitOf = (likely: number, certain: number) =>
  Math.min(1, Math.sqrt(Math.max(0, likely) / certain))

/**
 * How well a question goes with what stands about each number: laws have in one place what belongs
 * together, so articles that people ask of tell of others there that nobody has asked of yet.
 */
function aboutOf(articles: ReadonlyMap<string, number>): Float64Array {
  const numbered = Array.from(articles, ([article, weight]): [number, number] => [
    Number.parseInt(article, 10),
    weight,
  ]).filter(([number]) => number < 100_000)
  const last = numbered.reduce((last, [number]) => Math.max(last, number), -1)
  const sums = new Float64Array(last < 0 ? 0 : last + reach.length)
  for (const [number, weight] of numbered) {
    const end = Math.min(sums.length, number + reach.length)
    for (let at = Math.max(0, number - reach.length + 1); at < end; at++) {
      sums[at]! += weight * reach[Math.abs(at - number)]!
    }
  }
  return sums.map((sum) => fitOf(sum, certainPlace))
}

function addTo(sums: Map<string, number>, weights: Record<string, number>, share: number) {
  for (const target in weights) sums.set(target, (sums.get(target) ?? 0) + share * weights[target]!)
}

const Row = z.object({ key: z.string(), record: LayWord })

/** The table of lay words as this process knows it. */
export interface LayWords {
  told(sql: Sql, version: number, query: string): Promise<Told>
}

const bytes = 32 * 2 ** 20

export function makeLayWords(): LayWords {
  const make = () =>
    new Lru<LayWord | null>(
      bytes,
      (each) => 200 + (each ? 100 * Object.keys(each.words).length : 0),
    )
  let kept = { version: -1, words: make() }
  return {
    async told(sql, version, query) {
      if (version > kept.version) kept = { version, words: make() }
      const { words } = kept
      const shares = sharesOf(query)
      const found = new Map(Array.from(shares.keys(), (word) => [word, words.get(word)]))
      const missing = [...found.keys()].filter((word) => found.get(word) === undefined)
      if (missing.length > 0) {
        for (const word of missing) found.set(word, null)
        const rows = await sql.rows(Row)`
          select key, record from knowledge.records
          where kind = 'lay_word' and key = any(${textArray(missing)})`
        for (const { key, record } of rows) found.set(key, record)
        for (const word of missing) words.set(word, found.get(word)!)
      }
      return told(
        shares,
        [...found.values()].flatMap((each) => each ?? []),
      )
    },
  }
}
