import * as z from 'zod'
import { json, numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import { TimeSlice } from '../../../_kit/time-slice.ts'
import { readSnapshot } from '../snapshot.ts'
import { readSeqRanges } from './load-seq-ranges.ts'
import { blockSize, decodePosting, postingLength, postingOffset } from './posting.ts'
import { maxSeq } from './posting-list.ts'
import type { PostingRow } from './postings.ts'
import { SeqRanges } from './seq-ranges.ts'

const LawRow = z.object({
  base: z.int(),
  document_id: z.string(),
  law_terms: z.array(z.int()),
  citation_count: z.int(),
})

/** Counts the chunks of each base of a shard that cite its laws by name, from the posting lists. */
export async function countCitations(sql: Sql, shard: number): Promise<void> {
  const { documents, blocks, ranges } = await readSnapshot(sql, (sql) => readShard(sql, shard))
  const counts = await countByBase(blocks, ranges)
  const changed = documents.flatMap(({ base, document_id, law_terms, citation_count }) => {
    const now = law_terms.reduce((sum, term) => sum + (counts.get(`${base} ${term}`) ?? 0), 0)
    return now === citation_count ? [] : [{ base, document_id, citation_count: now }]
  })
  await sql`
    update knowledge.documents document set citation_count = counted.citation_count
    from jsonb_to_recordset(${json(changed)})
      as counted (base int, document_id text, citation_count int)
    where document.base = counted.base and document.document_id = counted.document_id`
}

/** Reads the laws of a shard, the postings of their names and the bases of the chunks. */
async function readShard(sql: Sql, shard: number) {
  const documents = await sql.rows(LawRow)`
    select document.base, document_id, to_jsonb(law_terms) as law_terms, citation_count
    from knowledge.documents document join knowledge.bases base on base.no = document.base
    where base.shard = ${shard}`
  const terms = [...new Set(documents.flatMap(({ law_terms }) => law_terms))]
  // Not validated: many rows, written by this service.
  const blocks = (await sql`
    select term, block, entries
    from knowledge.postings posting join knowledge.shards on no = posting.shard
      and shards.numbering = posting.numbering
    where posting.shard = ${shard} and term = any(${numberArray(terms, 'int4')})`) as unknown as PostingRow[]
  const rows = await readSeqRanges(sql, [shard], [0])
  return { documents, blocks, ranges: new SeqRanges(0).extend(rows, maxSeq) }
}

/** Counts postings by base and term. */
async function countByBase(blocks: readonly PostingRow[], ranges: SeqRanges) {
  const slice = new TimeSlice()
  const counts = new Map<string, number>()
  for (const { term, block, entries } of blocks) {
    for (let at = 0; at < entries.length; at += postingLength) {
      const seq = block * blockSize + postingOffset(decodePosting(entries, at))
      const key = `${ranges.baseOf(seq)} ${term}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    if (slice.isOver) await slice.pause()
  }
  return counts
}
