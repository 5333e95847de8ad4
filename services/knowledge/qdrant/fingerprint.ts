import * as z from 'zod'
import { fragment, numberArray, type Sql } from '../../_kit/sql/sql.ts'
import type { QdrantCollection } from './collections.ts'
import { pointId, pointVersion } from './point.ts'

/** Chunks joined with their documents and with the vectors of the collection's model. */
export const chunksFor = ({ model, dims }: QdrantCollection) => fragment`
  knowledge.chunks chunk join knowledge.documents document using (base, document_id)
  left join knowledge.embeddings embedding on embedding.hash = chunk.hash
    and embedding.model = ${model ?? ''}::text and embedding.dims = ${dims ?? 0}::int`

/** Hash of everything that a point is built from. */
export const fingerprint = fragment`md5(concat_ws('|', ${pointVersion}::int, chunk.hash, md5(title),
  md5(section_id), md5(doc_type), md5(document_id), md5(document.metadata::text),
  md5(chunk.metadata::text), 'from', chunk.in_force_from - date '2000-01-01',
  'to', chunk.in_force_to - date '2000-01-01', embedding.signature))`

const FingerprintRow = z.object({ base: z.int(), seq: z.int(), fingerprint: z.string() })
type FingerprintRow = z.infer<typeof FingerprintRow>

const byId = (rows: readonly FingerprintRow[]) =>
  new Map(rows.map(({ base, seq, fingerprint }) => [pointId(base, seq), fingerprint]))

interface Edge {
  base: number
  seq: number
}

/** Fingerprints of the chunks from `from` up to `to`. */
export const fingerprintsBetween = async (
  sql: Sql,
  index: QdrantCollection,
  from: Edge,
  to: Edge,
) =>
  byId(
    await sql.rows(FingerprintRow)`
      select chunk.base, chunk.seq, ${fingerprint} as fingerprint from ${chunksFor(index)}
      where (chunk.base, chunk.seq) >= (${from.base}::int, ${from.seq}::int)
        and (chunk.base, chunk.seq) < (${to.base}::int, ${to.seq}::int)`,
  )

export const fingerprintsAt = async (sql: Sql, index: QdrantCollection, refs: readonly Edge[]) =>
  byId(
    await sql.rows(FingerprintRow)`
      select chunk.base, chunk.seq, ${fingerprint} as fingerprint from ${chunksFor(index)}
      where (chunk.base, chunk.seq) in (select * from unnest(${numberArray(
        refs.map(({ base }) => base),
        'int4',
      )}, ${numberArray(
        refs.map(({ seq }) => seq),
        'int4',
      )}))`,
  )
