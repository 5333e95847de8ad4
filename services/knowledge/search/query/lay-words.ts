import * as z from 'zod'
import { type Sql, textArray } from '../../../_kit/sql/sql.ts'
import { tokenize } from '../../../_kit/tokenize.ts'
import { Lru } from '../index/lru.ts'
import { LawPrior, type LawPriors } from './priors.ts'
import type { Expansion } from './query-terms.ts'

const Weights = z.record(z.string().min(1).max(200), z.number().min(-1_000).max(1_000))

/** A word of lay queries: statute words it stands for, and laws and articles it makes likely. */
export const LayWord = z
  .object({
    word: z
      .string()
      .max(100)
      .describe(
        'A Han character, a bigram, or a lower-case word of another script. The empty word is the intercept: every query has it.',
      ),
    words: Weights.default({}).describe('Statute words with weights.'),
    laws: Weights.default({}).describe('Laws by name with weights.'),
    articles: z
      .record(z.string().min(1).max(300), Weights)
      .default({})
      .describe('Articles by law name and article number with weights.'),
  })
  .meta({ id: 'LayWord' })
export type LayWord = z.output<typeof LayWord>

/** Sum of the lay words of a query. */
export interface QueryPrediction {
  words: Expansion[]
  priors: LawPriors
}

/** Statute words added to a query. */
const maxWords = 60
/** Weights at which the prior of a law and of a neighbourhood reaches 1. */
const lawSaturation = 0.07
const neighbourhoodSaturation = 0.15
/** Weight of an article for another by distance in article numbers. */
const smoothingKernel = Float64Array.from({ length: 26 }, (_, distance) => Math.exp(-distance / 8))

/** Feature weights relative to a bigram; `scale` is the length of the feature vector. */
const unigramWeight = 0.5
const interceptWeight = 0.5
const scale = 0.25

/** Features of a query: its words, scaled to a vector of fixed length, and the intercept. */
export function queryFeatures(query: string): Map<string, number> {
  const features = new Map<string, number>()
  for (const word of tokenize(query)) features.set(word, word.length === 1 ? unigramWeight : 1)
  const length = Math.hypot(...features.values())
  for (const [word, share] of features) features.set(word, (scale * share) / length)
  return features.set('', interceptWeight)
}

/** Sums lay words by the features of a query. Keeps positive weights only. */
export function predict(
  features: ReadonlyMap<string, number>,
  entries: Iterable<LayWord>,
): QueryPrediction {
  const words = new Map<string, number>()
  const laws = new Map<string, number>()
  const articles = new Map<string, Map<string, number>>()
  for (const each of entries) {
    const share = features.get(each.word) ?? 0
    // The intercept is no word of the query: it must not retrieve anything.
    if (each.word !== '') addWeighted(words, each.words, share)
    addWeighted(laws, each.laws, share)
    for (const law in each.articles) {
      const own = articles.get(law) ?? new Map()
      addWeighted(own, each.articles[law]!, share)
      articles.set(law, own)
    }
  }
  const all = new Set([...laws.keys(), ...articles.keys()])
  return {
    words: Array.from(words, ([target, weight]) => ({ target, weight }))
      .filter(({ weight }) => weight > 0)
      .sort((a, b) => b.weight - a.weight || (a.target < b.target ? -1 : 1))
      .slice(0, maxWords),
    priors: new Map(
      Array.from(all, (law): [string, LawPrior] => {
        const own = articles.get(law) ?? noArticles
        const fit = saturate(laws.get(law) ?? 0, lawSaturation)
        return [law, new LawPrior(fit, own, smoothOverArticles)]
      }),
    ),
  }
}

const noArticles: ReadonlyMap<string, number> = new Map()

const saturate = (likely: number, lawSaturation: number) =>
  Math.min(1, Math.sqrt(Math.max(0, likely) / lawSaturation))

/**
 * Smooths article weights over neighbouring article numbers. Statutes group related articles, so a
 * weight also supports neighbours that no training question cites.
 */
function smoothOverArticles(articles: ReadonlyMap<string, number>): Float64Array {
  const numbered = Array.from(articles, ([article, weight]): [number, number] => [
    Number.parseInt(article, 10),
    weight,
  ]).filter(([number]) => number < 100_000)
  const last = numbered.reduce((last, [number]) => Math.max(last, number), -1)
  const sums = new Float64Array(last < 0 ? 0 : last + smoothingKernel.length)
  for (const [number, weight] of numbered) {
    const end = Math.min(sums.length, number + smoothingKernel.length)
    for (let at = Math.max(0, number - smoothingKernel.length + 1); at < end; at++) {
      sums[at]! += weight * smoothingKernel[Math.abs(at - number)]!
    }
  }
  return sums.map((sum) => saturate(sum, neighbourhoodSaturation))
}

function addWeighted(sums: Map<string, number>, weights: Record<string, number>, share: number) {
  for (const target in weights) sums.set(target, (sums.get(target) ?? 0) + share * weights[target]!)
}

const LayWordRow = z.object({ key: z.string(), record: LayWord })

/** Cached access to the table of lay words. */
export interface LayWords {
  predict(sql: Sql, version: number, query: string): Promise<QueryPrediction>
}

const cacheBytes = 32 * 2 ** 20

export function makeLayWords(): LayWords {
  const makeCache = () =>
    new Lru<LayWord | null>(
      cacheBytes,
      (each) => 200 + (each ? 100 * Object.keys(each.words).length : 0),
    )
  let cached = { version: -1, words: makeCache() }
  return {
    async predict(sql, version, query) {
      if (version > cached.version) cached = { version, words: makeCache() }
      const { words } = cached
      const features = queryFeatures(query)
      const found = new Map(Array.from(features.keys(), (word) => [word, words.get(word)]))
      const missing = [...found.keys()].filter((word) => found.get(word) === undefined)
      if (missing.length > 0) {
        for (const word of missing) found.set(word, null)
        const rows = await sql.rows(LayWordRow)`
          select key, record from knowledge.records
          where kind = 'lay_word' and key = any(${textArray(missing)})`
        for (const { key, record } of rows) found.set(key, record)
        for (const word of missing) words.set(word, found.get(word)!)
      }
      return predict(
        features,
        [...found.values()].flatMap((each) => each ?? []),
      )
    },
  }
}
