import * as z from 'zod'
import { invalid } from '../../_kit/fault.ts'
import type { Caller } from '../../_kit/identity.ts'
import { errorFields } from '../../_kit/log.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import { fragment } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { nearest } from '../embed/nearest.ts'
import { givenModel } from '../embed/vectors.ts'
import { askEngine, type EngineQuestion } from '../qdrant/engine.ts'
import { begin } from './begin.ts'
import { type Expanded, expanded, unasked } from './expand.ts'
import { foundAt } from './found.ts'
import { fuse, type Matched, matchedBy } from './fuse.ts'
import { byKeyword } from './keyword.ts'
import { led, nearestOf } from './meaning.ts'
import { type Asked, Hit, inForce, matching, type Question, today } from './question.ts'
import { reranked } from './rerank.ts'

export const Answer = z
  .object({
    hits: z.array(Hit),
    backend: z.enum(['qdrant', 'database']),
    degraded: z.boolean().describe('It was answered in another way than it was asked.'),
    reason: z
      .enum([
        'embedding_not_configured',
        'embedding_unavailable',
        'search_engine_unavailable',
        'rerank_unavailable',
      ])
      .nullable(),
  })
  .meta({ id: 'SearchAnswer' })
export type Answer = z.infer<typeof Answer>

export type Mode = 'keyword' | 'vector' | 'hybrid'
export type Search = Omit<Question, 'query'> & {
  query?: string | undefined
  vector?: number[] | undefined
}

/** Each list is at least this long before two are made one. */
const listLength = 150

/** Answers a search, from bases that the caller may read. */
export async function search(
  given: ServiceContext<Deps>,
  caller: Pick<Caller, 'organizationId'>,
  mode: Mode,
  question: Search,
): Promise<Answer> {
  const { filters, offset, top_k, min_score } = question
  const begun = await begin(given.sql, caller, question.kb_ids, question.query ?? '')
  const asked: Asked = { ...begun, filters, asOf: question.as_of ?? today() }
  const most = Math.max(offset + top_k, mode === 'hybrid' ? listLength : 0)

  const { vector, reason } =
    mode === 'keyword' ? { vector: undefined, reason: null } : await vectorOf(given, question)
  // A vector alone answers a vector search; without one, words answer any.
  const query = vector && mode === 'vector' ? undefined : (question.query ?? '')
  const found = await lists(given, asked, { query, vector, model: given.embedder?.model, most })
  const matched = listed(
    query === undefined ? undefined : matchedBy('keyword', found.words),
    vector && matchedBy('vector', found.meaning),
  )
  const ordered = mode === 'hybrid' ? await reranked(given, question, matched) : { list: matched }
  const hits = ordered.list
    .filter(({ score }) => min_score === undefined || score >= min_score)
    .slice(offset, offset + top_k)
    .map(({ row, score, matched_by }) => ({ ...row.shown, score, matched_by }))
  const why = found.failed ? 'search_engine_unavailable' : (reason ?? ordered.reason ?? null)
  return { hits, backend: found.backend, degraded: why !== null, reason: why }
}

/** One list as it is; two as one. */
const listed = (words: Matched[] | undefined, meaning: Matched[] | undefined) =>
  words && meaning ? fuse([words, meaning]) : (words ?? meaning ?? [])

/** From the engine where there is one, and from the database where that fails. */
async function lists(given: ServiceContext<Deps>, asked: Asked, question: EngineQuestion) {
  const { engine, embedder, kit } = given
  // The engine knows the vectors of the embedding model and no others.
  if (engine && !(question.vector && !embedder)) {
    try {
      const found = await askEngine(engine, given, asked, question)
      return { ...found, backend: 'qdrant' as const, failed: false }
    } catch (thrown) {
      kit.metrics.count('search_engine_failures_total', {})
      kit.log.warn(errorFields(thrown), 'the search engine failed')
      return { ...(await fromDatabase(given, asked, question)), failed: true }
    }
  }
  return { ...(await fromDatabase(given, asked, question)), failed: false }
}

async function fromDatabase(given: ServiceContext<Deps>, asked: Asked, question: EngineQuestion) {
  const { query, vector, most } = question
  const terms = query === undefined ? unasked : await expanded(given, query, asked.known)
  const [words, meaning] = await Promise.all([
    query === undefined ? [] : byKeyword(given, asked, query, terms, most),
    vector ? byVector(given, asked, vector, terms, most) : [],
  ])
  return { words, meaning, backend: 'database' as const }
}

function refuseOddVector(vector: readonly number[], dims: number | undefined) {
  if (dims === undefined || vector.length === dims) return
  const message = `Has ${vector.length} dimensions, not ${dims}.`
  throw invalid([{ path: 'vector', message }])
}

/** The vector of a question, or why there is none. */
async function vectorOf({ embedder, kit }: ServiceContext<Deps>, { query, vector }: Search) {
  if (vector) {
    refuseOddVector(vector, embedder?.dims)
    return { vector, reason: null }
  }
  if (!embedder) return { vector: undefined, reason: 'embedding_not_configured' as const }
  try {
    return { vector: await embedder.question(query ?? ''), reason: null }
  } catch (thrown) {
    kit.metrics.count('embedding_failures_total', {})
    kit.log.warn(errorFields(thrown), 'no vector for the question')
    return { vector: undefined, reason: 'embedding_unavailable' as const }
  }
}

async function byVector(
  given: ServiceContext<Deps>,
  { bases, filters, asOf }: Asked,
  vector: readonly number[],
  { laws }: Expanded,
  most: number,
) {
  const { sql, embedder, vectorIndexes } = given
  const near = await nearest(sql, vectorIndexes, {
    model: embedder?.model ?? givenModel,
    bases: bases.map(({ no }) => no),
    vector,
    most: nearestOf(laws, most),
    where: fragment`${matching(filters)} ${inForce(asOf)}`,
  })
  return foundAt(sql, (await led(given, bases, near, laws)).slice(0, most))
}
