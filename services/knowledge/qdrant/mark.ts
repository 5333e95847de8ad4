import * as z from 'zod'
import { fragment, numberArray, type Sql } from '../../_kit/sql/sql.ts'
import type { Index } from './indexes.ts'
import { pointId, pointVersion } from './point.ts'

/** A chunk with its document, and with its vector where the index has a place for that. */
export const chunksFor = ({ model, dims }: Index) => fragment`
  knowledge.chunks chunk join knowledge.documents document using (base, document_id)
  left join knowledge.embeddings embedding on embedding.hash = chunk.hash
    and embedding.model = ${model ?? ''}::text and embedding.dims = ${dims ?? 0}::int`

/** All that a point is made of, in short: by this one knows whether it is still the same. */
export const mark = fragment`md5(concat_ws('|', ${pointVersion}::int, chunk.hash, md5(title),
  md5(section_id), md5(doc_type), md5(document_id), md5(document.metadata::text),
  md5(chunk.metadata::text), 'from', in_force_from - date '2000-01-01',
  'to', in_force_to - date '2000-01-01', embedding.signature))`

const Marked = z.object({ base: z.int(), seq: z.int(), mark: z.string() })
type Marked = z.infer<typeof Marked>

const byId = (rows: readonly Marked[]) =>
  new Map(rows.map(({ base, seq, mark }) => [pointId(base, seq), mark]))

interface Edge {
  base: number
  seq: number
}

/** The marks of what the database holds, from one place to before another. */
export const marksBetween = async (sql: Sql, index: Index, from: Edge, to: Edge) =>
  byId(
    await sql.rows(Marked)`
      select chunk.base, chunk.seq, ${mark} as mark from ${chunksFor(index)}
      where (chunk.base, chunk.seq) >= (${from.base}::int, ${from.seq}::int)
        and (chunk.base, chunk.seq) < (${to.base}::int, ${to.seq}::int)`,
  )

export const marksAt = async (sql: Sql, index: Index, places: readonly Edge[]) =>
  byId(
    await sql.rows(Marked)`
      select chunk.base, chunk.seq, ${mark} as mark from ${chunksFor(index)}
      where (chunk.base, chunk.seq) in (select * from unnest(${numberArray(
        places.map(({ base }) => base),
        'int4',
      )}, ${numberArray(
        places.map(({ seq }) => seq),
        'int4',
      )}))`,
  )
