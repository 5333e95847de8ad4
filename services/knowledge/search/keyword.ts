import * as z from 'zod'
import { numbers, type Sql } from '../../_kit/sql/sql.ts'
import { inContext, seen } from './context.ts'
import { type EntryCache, entriesOf } from './entries.ts'
import { expansionsOf } from './expand.ts'
import { type Found, foundAt } from './found.ts'
import { type Asked, inForce, isFiltered, matching } from './question.ts'
import { rescored } from './rescore.ts'
import { best } from './score.ts'
import { questionTerms } from './terms.ts'

const Place = z.object({ base: z.int(), seq: z.int() })

/** So many of the best by their terms are looked at closely; the order of the rest stands. */
export const lookedAt = 100
/** More than that are fetched, since some may be gone or out of force. */
export const spare = 50

/**
 * Chunks by the words of a question, best first: BM25 over the terms that the index holds, then a
 * closer look at the best. Only what the question's own terms have is read.
 */
export async function byKeyword(
  { sql, entryCache }: { sql: Sql; entryCache: EntryCache },
  asked: Asked,
  query: string,
  most: number,
): Promise<Found[]> {
  const terms = questionTerms(query, await expansionsOf(sql, query))
  const entries = await entriesOf(
    sql,
    entryCache,
    asked.bases,
    terms.map(({ id }) => id),
  )
  if (entries.length === 0) return []
  const statistics = {
    chunks: asked.bases.reduce((sum, { chunks }) => sum + chunks, 0),
    words: asked.bases.reduce((sum, { words }) => sum + words, 0),
  }
  const wanted = Math.max(most, lookedAt) + spare
  const bestOf = async (allowed?: Awaited<ReturnType<typeof allowedOf>>) => {
    const top = best(terms, entries, statistics, Math.max(wanted, seen), allowed)
    const scored = (await inContext(sql, top)).slice(0, wanted)
    return { all: top.length, found: await foundAt(sql, scored, inForce(asked.asOf)) }
  }
  const first = await bestOf(isFiltered(asked.filters) ? await allowedOf(sql, asked) : undefined)
  let { found } = first
  // Many were out of force or gone from the base, and there are more: they are searched by what is left.
  if (found.length < wanted - spare && first.all > wanted) {
    found = (await bestOf(await allowedOf(sql, asked))).found
  }
  return rescored(query, found, lookedAt).slice(0, most)
}

/** The places that the filters leave, for each base. */
async function allowedOf(sql: Sql, { bases, filters, asOf }: Asked) {
  const rows = await sql.rows(Place)`
    select chunk.base, chunk.seq
    from knowledge.chunks chunk join knowledge.documents document using (base, document_id)
    where chunk.base = any(${numbers(
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
