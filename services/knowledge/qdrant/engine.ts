import * as z from 'zod'
import { fragment } from '../../_kit/sql/sql.ts'
import { seenOf } from '../search/context.ts'
import { expanded, unasked } from '../search/expand.ts'
import { type Found, foundAt } from '../search/found.ts'
import { lookedAt, type Reader, ranked, spare } from '../search/keyword.ts'
import { led, nearestOf } from '../search/meaning.ts'
import { type Asked, inForce, matching } from '../search/question.ts'
import { rescored } from '../search/rescore.ts'
import { type Qdrant, QdrantError } from './client.ts'
import { byWords, filterOf, meaningOf, placeOf, sparseQuestion } from './point.ts'

/** The search engine, and where in it our chunks are. */
export interface Engine {
  qdrant: Qdrant
  /** The collection that is to be searched, and the alias that leads to it once it is full. */
  collection: string
  alias: string
  /** Whether this process has said that the collection is the one it wants. */
  chosen: boolean
}

export interface EngineQuestion {
  query: string | undefined
  vector: readonly number[] | undefined
  /** Whose vector it is. */
  model: string | undefined
  most: number
}

const Points = z.array(
  z.object({ points: z.array(z.object({ id: z.int().min(0), score: z.number() })) }),
)

/**
 * Both lists of a hybrid search in one request, each as the database would give it: the engine finds,
 * the database tells what is there, and the best by words are looked at closely. Throws when the engine
 * fails in any way.
 */
export async function askEngine(
  { qdrant, alias }: Engine,
  reader: Reader,
  { bases, known, filters, asOf }: Asked,
  { query, vector, model, most }: EngineQuestion,
): Promise<{ words: Found[]; meaning: Found[] }> {
  if (bases.length === 0) return { words: [], meaning: [] }
  if (qdrant.circuit.open()) throw new Error('Qdrant failed a moment ago')
  const filter = filterOf(
    bases.map(({ no }) => no),
    filters,
    asOf,
  )
  const { sql } = reader
  const wanted = Math.max(most, lookedAt) + spare
  const { terms, laws } = query ? await expanded(reader, query, known) : unasked
  const searches = [
    ...(terms.length > 0
      ? [
          {
            query: sparseQuestion(terms),
            using: byWords,
            filter,
            limit: Math.max(wanted, seenOf(laws)),
          },
        ]
      : []),
    ...(vector && model
      ? [{ query: vector, using: meaningOf(model), filter, limit: nearestOf(laws, wanted) }]
      : []),
  ]
  const lists = searches.length > 0 ? await batch(qdrant, alias, searches) : []
  const where = fragment`${matching(filters)} ${inForce(asOf)}`
  const scored = lists.map(({ points }) =>
    points.map(({ id, score }) => ({ ...placeOf(id), score })),
  )
  const [ofWords = [], ofMeaning = []] = terms.length > 0 ? scored : [[], ...scored]
  const [words, meaning] = await Promise.all([
    ranked(reader, bases, ofWords, laws).then((best) => foundAt(sql, best.slice(0, wanted), where)),
    led(reader, bases, ofMeaning, laws).then((best) => foundAt(sql, best.slice(0, wanted), where)),
  ])
  return {
    words: rescored(query ?? '', words, lookedAt).slice(0, most),
    meaning: meaning.slice(0, most),
  }
}

async function batch(qdrant: Qdrant, alias: string, searches: object[]) {
  try {
    const lists = await qdrant.ask(Points, 'POST', `/collections/${alias}/points/query/batch`, {
      searches,
    })
    if (lists.length !== searches.length) throw new Error('Qdrant left a list out')
    qdrant.circuit.succeeded()
    return lists
  } catch (thrown) {
    // One that does not take a question, for its collection has no such vectors yet, is well otherwise.
    if (!(thrown instanceof QdrantError && thrown.refused)) qdrant.circuit.failed()
    throw thrown
  }
}
