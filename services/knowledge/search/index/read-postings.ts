import { numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import { TimeSlice } from '../../../_kit/time-slice.ts'
import type { BaseRow } from '../../base.ts'
import type { BaseIndex, SearchCache } from './cache.ts'
import { blockNumber, blockSize, postingLength } from './posting.ts'
import {
  appendPostings,
  decodePostings,
  type PostingList,
  type PostingRange,
} from './posting-list.ts'

/** Posting lists of a base, in the order of the requested terms. */
export interface BasePostings {
  base: number
  lengths: Uint8Array
  terms: PostingList[]
}

/** Posting lists of a base while they are loaded. */
interface LoadingBase {
  base: BaseRow
  index: BaseIndex
  terms: PostingList[]
}

/** A list of which only a prefix is cached: postings are only appended. */
interface MissingPostings {
  source: LoadingBase
  term: number
  /** Position of the term in the request. */
  nth: number
}

/** Loads the posting lists of terms, from the cache where they are complete. */
export async function loadPostings(
  sql: Sql,
  cache: SearchCache,
  bases: readonly BaseRow[],
  terms: readonly number[],
): Promise<BasePostings[]> {
  const slice = new TimeSlice()
  const missing: MissingPostings[] = []
  const sources: LoadingBase[] = []
  for (const base of bases) {
    const index = cache.getIndex(base)
    const lists = terms.map((term) => cache.getTerm(base, index, term) ?? index.emptyList(0))
    const source = { base, index, terms: lists }
    sources.push(source)
    for (const [nth, list] of lists.entries()) {
      if (list.coveredUntil < base.next_seq) missing.push({ source, term: terms[nth]!, nth })
    }
  }
  const rows = missing.length > 0 ? await readRows(sql, missing) : new Map<string, PostingRange[]>()
  for (const { source, term, nth } of missing) {
    const { base, index } = source
    const own = rows.get(`${base.no} ${term}`)
    const list = extendList(source.terms[nth]!, own, base, index)
    source.terms[nth] = list
    cache.setTerm(base, index, term, list)
    if (slice.isOver) await slice.pause()
  }
  return sources.map(({ base, index, terms }) => ({ base: base.no, lengths: index.lengths, terms }))
}

/** Appends the rows of the database to a cached list. */
function extendList(
  cached: PostingList,
  rows: readonly PostingRange[] | undefined,
  { next_seq }: BaseRow,
  index: BaseIndex,
): PostingList {
  if (!rows && cached.entries.length === 0) return index.emptyList(next_seq)
  const after = decodePostings(rows ?? [], cached.coveredUntil, next_seq, index.lengths)
  return cached.entries.length > 0 ? appendPostings(cached, after) : after
}

/** Not validated: thousands of rows per search, written by this service. */
interface TermPostingRow extends PostingRange {
  base: number
  term: number
}

/**
 * Reads merged postings and unmerged segments in one statement, so that a merge in between is not seen. The
 * terms of a segment are sorted: `width_bucket` finds a term by binary search.
 */
async function readRows(sql: Sql, missing: readonly MissingPostings[]) {
  // Reads each base from the first chunk that is missing for any term.
  const firstSeqs = new Map<number, number>()
  for (const { source, nth } of missing) {
    const first = firstSeqs.get(source.base.no) ?? Number.POSITIVE_INFINITY
    firstSeqs.set(source.base.no, Math.min(first, source.terms[nth]!.coveredUntil))
  }
  const numberings = new Map(missing.map(({ source: { base } }) => [base.no, base.numbering]))
  const terms = [...new Set(missing.map(({ term }) => term))]
  const firsts = [...firstSeqs.values()]
  const rows = (await sql`
    with missing as (
      select * from unnest(${ints([...firstSeqs.keys()])}, ${ints(firsts)},
        ${ints(firsts.map(blockNumber))}, ${ints([...numberings.values()])})
        missing (base, seq, block, numbering)),
    requested as (select unnest(${ints(terms)}) as term)
    select posting.base, term, posting.block * ${blockSize} as first, entries
    from missing cross join requested join knowledge.postings posting using (base, term, numbering)
    where posting.block >= missing.block
    union all
    select segment.base, term, first_seq, substr(entries,
      ${postingLength} * coalesce(ends[nth - 1], 0) + 1,
      ${postingLength} * (ends[nth] - coalesce(ends[nth - 1], 0)))
    from missing join knowledge.segments segment
        on segment.base = missing.base and segment.end_seq > missing.seq
      cross join requested cross join lateral width_bucket(term, segment.terms) nth
    where segment.terms[nth] = term and term >= merged_below
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
