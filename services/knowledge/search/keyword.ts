import * as z from 'zod'
import { numberArray, type Sql } from '../../_kit/sql/sql.ts'
import type { BaseRow } from '../base.ts'
import type { SearchCache } from './cache.ts'
import { inContext, type Laws, seenOf } from './context.ts'
import { entriesOf } from './entries.ts'
import type { Expanded } from './expand.ts'
import { type Found, keptAt } from './found.ts'
import { placedAt } from './heads.ts'
import type { LayWords } from './lay-words.ts'
import { type Asked, inForce, isFiltered, matching } from './question.ts'
import { rescored } from './rescore.ts'
import { type Allowed, best } from './score.ts'
import type { Scored } from './top.ts'

const Place = z.object({ base: z.int(), seq: z.int() })

/** So many of the best by their terms are looked at closely; the order of the rest stands. */
export const lookedAt = 100
/** More than that are fetched, since some may be gone or out of force. */
export const spare = 50

export interface Reader {
  sql: Sql
  searchCache: SearchCache
  layWords: LayWords | undefined
}

/**
 * Chunks by the words of a question, best first: BM25 over the terms that the index holds, then a
 * closer look at the best. Only what the question's own terms have is read.
 */
export async function byKeyword(
  reader: Reader,
  asked: Asked,
  query: string,
  { terms, laws }: Expanded,
  most: number,
): Promise<Found[]> {
  const { sql, searchCache } = reader
  const { bases } = asked
  const ids = terms.map(({ id }) => id)
  const sources = await entriesOf(sql, searchCache, bases, ids)
  const statistics = {
    chunks: bases.reduce((sum, { chunks }) => sum + chunks, 0),
    words: bases.reduce((sum, { words }) => sum + words, 0),
  }
  const wanted = Math.max(most, lookedAt) + spare
  const bestOf = async (allowed?: Allowed) => {
    const top = best(terms, sources, statistics, Math.max(wanted, seenOf(laws)), allowed)
    const scored = (await ranked(reader, bases, top, laws)).slice(0, wanted)
    return { all: top.length, found: await keptAt(sql, searchCache, bases, scored, asked.asOf) }
  }
  const first = await bestOf(isFiltered(asked.filters) ? await allowedOf(sql, asked) : undefined)
  let { found } = first
  // Many were out of force or gone from the base, and there are more: they are searched by what is left.
  if (found.length < wanted - spare && first.all > wanted) {
    found = (await bestOf(await allowedOf(sql, asked))).found
  }
  return rescored(query, found, lookedAt).slice(0, most)
}

/** The first of them seen in their context, without those that are gone; the order of the rest stands. */
export async function ranked(
  { sql, searchCache }: Reader,
  bases: readonly BaseRow[],
  scored: readonly Scored[],
  laws: Laws,
): Promise<Scored[]> {
  const seen = seenOf(laws)
  const close = await placedAt(sql, searchCache, bases, scored.slice(0, seen))
  return [...inContext(close, laws), ...scored.slice(seen)]
}

/** The places that the filters leave, for each base. */
async function allowedOf(sql: Sql, { bases, filters, asOf }: Asked): Promise<Allowed> {
  const rows = await sql.rows(Place)`
    select chunk.base, chunk.seq
    from knowledge.chunks chunk join knowledge.documents document using (base, document_id)
    where chunk.base = any(${numberArray(
      bases.map(({ no }) => no),
      'int4',
    )}) ${matching(filters)} ${inForce(asOf)}`
  const allowed = new Map<number, Set<number>>()
  for (const { base, seq } of rows) {
    const places = allowed.get(base)
    if (places) places.add(seq)
    else allowed.set(base, new Set([seq]))
  }
  return allowed
}
