import { numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import type { BaseRow } from '../../base.ts'
import type { BaseIndex, SearchCache } from './cache.ts'
import { blockNumber, blockSize, postingLength } from './posting.ts'
import {
  appendPostings,
  decodePostings,
  emptyPostingList,
  type PostingList,
  type PostingRange,
} from './posting-list.ts'

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
  const indexed = bases.map((base) => ({ base, index: cache.getIndex(base) }))
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
  const rows = missing.length > 0 ? await readRows(sql, missing) : new Map<string, PostingRange[]>()
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

/** Not validated: thousands of rows per search, written by this service. */
interface TermPostingRow extends PostingRange {
  base: number
  term: number
}

/** Reads merged postings and unmerged segments in one statement, so that a merge in between is not seen. */
async function readRows(sql: Sql, missing: readonly MissingPostings[]) {
  // Reads each base from the first chunk that is missing for any term.
  const firstSeqs = new Map<number, number>()
  for (const { base, cached } of missing) {
    const first = firstSeqs.get(base.no) ?? Number.POSITIVE_INFINITY
    firstSeqs.set(base.no, Math.min(first, cached.coveredUntil))
  }
  const terms = [...new Set(missing.map(({ term }) => term))]
  const firsts = [...firstSeqs.values()]
  const rows = (await sql`
    with missing as (
      select * from unnest(${ints([...firstSeqs.keys()])}, ${ints(firsts)},
        ${ints(firsts.map(blockNumber))}) missing (base, seq, block)),
    requested as (select unnest(${ints(terms)}) as term)
    select posting.base, term, posting.block * ${blockSize} as first, entries
    from missing cross join requested join knowledge.postings posting using (base, term)
    where posting.block >= missing.block
    union all
    select segment.base, term, first_seq, substr(entries,
      ${postingLength} * coalesce(ends[nth - 1], 0) + 1,
      ${postingLength} * (ends[nth] - coalesce(ends[nth - 1], 0)))
    from missing join knowledge.segments segment
        on segment.base = missing.base and segment.end_seq > missing.seq
      cross join requested cross join lateral array_position(segment.terms, term) nth
    where nth is not null and term >= merged_below
    order by 1, 2, 3`) as unknown as TermPostingRow[]
  const byTerm = new Map<string, PostingRange[]>()
  for (const row of rows) {
    const key = `${row.base} ${row.term}`
    const own = byTerm.get(key)
    if (own) own.push(row)
    else byTerm.set(key, [row])
  }
  return byTerm
}

const ints = (list: readonly number[]) => numberArray(list, 'int4')
