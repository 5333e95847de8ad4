import { numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import { TimeSlice } from '../../../_kit/time-slice.ts'
import type { SearchCache, ShardIndex } from './cache.ts'
import { loadSeqRanges } from './load-seq-ranges.ts'
import { blockNumber, blockSize, postingLength } from './posting.ts'
import {
  appendPostings,
  decodePostings,
  type PostingList,
  type PostingRange,
} from './posting-list.ts'
import type { Shard } from './shard.ts'

/** Posting lists of a shard, in the order of the requested terms. */
export interface ShardPostings {
  shard: number
  lengths: Uint8Array
  terms: PostingList[]
  /** 1 for each chunk of a searched base; undefined if all chunks are searched. */
  searched: Uint8Array | undefined
  /** Base of a chunk. */
  baseOf(seq: number): number
}

/** Posting lists of a shard while they are loaded. */
interface LoadingShard {
  shard: Shard
  index: ShardIndex
  terms: PostingList[]
}

/** A list of which only a prefix is cached: postings are only appended. */
interface MissingPostings {
  source: LoadingShard
  term: number
  /** Position of the term in the request. */
  nth: number
}

/** Loads the posting lists of terms in the shards of the searched bases, from the cache where they are complete. */
export async function loadPostings(
  sql: Sql,
  cache: SearchCache,
  { shards, bases }: { shards: readonly Shard[]; bases: { has(base: number): boolean } },
  terms: readonly number[],
): Promise<ShardPostings[]> {
  const slice = new TimeSlice()
  const missing: MissingPostings[] = []
  const sources: LoadingShard[] = []
  for (const shard of shards) {
    const index = cache.getIndex(shard)
    const lists = terms.map((term) => cache.getTerm(shard, index, term) ?? index.emptyList(0))
    const source = { shard, index, terms: lists }
    sources.push(source)
    for (const [nth, list] of lists.entries()) {
      if (list.coveredUntil < shard.next_seq) missing.push({ source, term: terms[nth]!, nth })
    }
  }
  const [rows, ranges] = await Promise.all([
    missing.length > 0 ? readRows(sql, missing) : new Map<string, PostingRange[]>(),
    loadSeqRanges(sql, cache, shards),
  ])
  for (const { source, term, nth } of missing) {
    const { shard, index } = source
    const own = rows.get(`${shard.no} ${term}`)
    const list = extendList(source.terms[nth]!, own, shard, index)
    source.terms[nth] = list
    cache.setTerm(shard, index, term, list)
    if (slice.isOver) await slice.pause()
  }
  return sources.map(({ shard, index, terms }, nth) => {
    // Lists may contain chunks that were added after this search began, also those of other bases.
    const end = terms.reduce((end, { coveredUntil }) => Math.max(end, coveredUntil), 0)
    const searched = ranges[nth]!.mark(bases, end)
    return { shard: shard.no, lengths: index.lengths, terms, searched, baseOf: ranges[nth]!.baseOf }
  })
}

/** Appends the rows of the database to a cached list. */
function extendList(
  cached: PostingList,
  rows: readonly PostingRange[] | undefined,
  { next_seq }: Shard,
  index: ShardIndex,
): PostingList {
  if (!rows && cached.entries.length === 0) return index.emptyList(next_seq)
  const after = decodePostings(rows ?? [], cached.coveredUntil, next_seq, index.lengths)
  return cached.entries.length > 0 ? appendPostings(cached, after) : after
}

/** Not validated: thousands of rows per search, written by this service. */
interface TermPostingRow extends PostingRange {
  shard: number
  term: number
}

/**
 * Reads merged postings and unmerged segments in one statement, so that a merge in between is not seen. The
 * terms of a segment are sorted: `width_bucket` finds a term by binary search.
 */
async function readRows(sql: Sql, missing: readonly MissingPostings[]) {
  // Reads each shard from the first chunk that is missing for any term.
  const firstSeqs = new Map<number, number>()
  for (const { source, nth } of missing) {
    const first = firstSeqs.get(source.shard.no) ?? Number.POSITIVE_INFINITY
    firstSeqs.set(source.shard.no, Math.min(first, source.terms[nth]!.coveredUntil))
  }
  const numberings = new Map(missing.map(({ source: { shard } }) => [shard.no, shard.numbering]))
  const terms = [...new Set(missing.map(({ term }) => term))]
  const firsts = [...firstSeqs.values()]
  const rows = (await sql`
    with missing as (
      select * from unnest(${ints([...firstSeqs.keys()])}, ${ints(firsts)},
        ${ints(firsts.map(blockNumber))}, ${ints([...numberings.values()])})
        missing (shard, seq, block, numbering)),
    requested as (select unnest(${ints(terms)}) as term)
    select posting.shard, term, posting.block * ${blockSize} as first, entries
    from missing cross join requested join knowledge.postings posting using (shard, term, numbering)
    where posting.block >= missing.block
    union all
    select segment.shard, term, first_seq, substr(entries,
      ${postingLength} * coalesce(ends[nth - 1], 0) + 1,
      ${postingLength} * (ends[nth] - coalesce(ends[nth - 1], 0)))
    from missing join knowledge.segments segment
        on segment.shard = missing.shard and segment.end_seq > missing.seq
      cross join requested cross join lateral width_bucket(term, segment.terms) nth
    where segment.terms[nth] = term and term >= merged_below
    order by 1, 2, 3`) as unknown as TermPostingRow[]
  const byTerm = new Map<string, PostingRange[]>()
  for (const row of rows) {
    const key = `${row.shard} ${row.term}`
    const own = byTerm.get(key)
    if (own) own.push(row)
    else byTerm.set(key, [row])
  }
  return byTerm
}

const ints = (list: readonly number[]) => numberArray(list, 'int4')
