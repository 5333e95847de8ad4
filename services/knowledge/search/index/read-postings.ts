import { numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import type { BaseRow } from '../../base.ts'
import type { BaseIndex, SearchCache } from './cache.ts'
import {
  appendPostings,
  decodePostings,
  emptyPostingList,
  type PostingList,
  type PostingRow,
} from './posting-list.ts'
import { blockOf } from './postings.ts'

/** Posting lists of a base, in the order of the requested terms. */
export interface BasePostings {
  base: number
  lengths: Uint8Array
  terms: PostingList[]
}

interface MissingPostings {
  key: string
  base: BaseRow
  index: BaseIndex
  term: number
  /** Cached prefix of the list: postings are only appended. */
  cached: PostingList
}

/** Loads the posting lists of terms, from the cache where they are complete. */
export async function loadPostings(
  sql: Sql,
  cache: SearchCache,
  bases: readonly BaseRow[],
  terms: readonly number[],
): Promise<BasePostings[]> {
  const indexed = bases.map((base) => ({ base, index: cache.indexOf(base) }))
  const missing: MissingPostings[] = []
  const found = new Map<string, PostingList>()
  for (const { base, index } of indexed) {
    for (const term of terms) {
      const key = `${index.id} ${term}`
      const cached = cache.terms.get(key) ?? emptyPostingList(0)
      found.set(key, cached)
      if (cached.coveredUntil < base.next_seq) missing.push({ key, base, index, term, cached })
    }
  }
  const rows = missing.length > 0 ? await readRows(sql, missing) : new Map<string, PostingRow[]>()
  for (const { key, base, index, term, cached } of missing) {
    const own = rows.get(`${base.no} ${term}`) ?? []
    const after = decodePostings(own, cached.coveredUntil, base.next_seq, index.lengths)
    const now = cached.entries.length > 0 ? appendPostings(cached, after) : after
    found.set(key, now)
    if ((cache.terms.get(key)?.coveredUntil ?? 0) < now.coveredUntil) cache.terms.set(key, now)
  }
  return indexed.map(({ base, index }) => ({
    base: base.no,
    lengths: index.lengths,
    terms: terms.map((term) => found.get(`${index.id} ${term}`)!),
  }))
}

/** Thousands of our own rows per search: not validated. */
interface TermPostingRow extends PostingRow {
  base: number
  term: number
}

async function readRows(sql: Sql, missing: readonly MissingPostings[]) {
  // Reads each base from the first block that is missing for any term.
  const firstBlocks = new Map<number, number>()
  for (const { base, cached } of missing) {
    const first = firstBlocks.get(base.no) ?? Number.POSITIVE_INFINITY
    firstBlocks.set(base.no, Math.min(first, blockOf(cached.coveredUntil)))
  }
  const terms = [...new Set(missing.map(({ term }) => term))]
  const rows = (await sql`
    select base, term, block, entries
    from unnest(${ints([...firstBlocks.keys()])}, ${ints([...firstBlocks.values()])}) missing (base, first)
      cross join unnest(${ints(terms)}) requested (term)
      join knowledge.postings posting using (base, term)
    where posting.block >= missing.first
    order by base, term, block, segment`) as unknown as TermPostingRow[]
  const byTerm = new Map<string, PostingRow[]>()
  for (const row of rows) {
    const key = `${row.base} ${row.term}`
    const own = byTerm.get(key)
    if (own) own.push(row)
    else byTerm.set(key, [row])
  }
  return byTerm
}

const ints = (list: readonly number[]) => numberArray(list, 'int4')
