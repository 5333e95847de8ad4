import * as z from 'zod'
import { JsonObject } from '../../_kit/fields.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import { indexedText } from '../indexed-text.ts'
import { type QueuedChange, refsTable, wholeBase } from './change-queue.ts'
import type { Change, Point } from './collection.ts'
import type { QdrantCollection } from './collections.ts'
import { chunksFor, fingerprint } from './fingerprint.ts'
import {
  dayNumber,
  denseVectorName,
  filterableMetadata,
  pointId,
  sparseVector,
  sparseVectorName,
} from './point.ts'

const ChunkRow = z.object({
  base: z.int(),
  seq: z.int(),
  document_id: z.string(),
  title: z.string(),
  doc_type: z.string(),
  section_id: z.string().nullable(),
  heading: z.string().nullable(),
  content: z.string(),
  document_metadata: JsonObject,
  metadata: JsonObject,
  in_force_from: z.string().nullable(),
  in_force_to: z.string().nullable(),
  vector: z.string().nullable(),
  fingerprint: z.string(),
})
type ChunkRow = z.infer<typeof ChunkRow>

/** Builds the change that brings queued points to the state of the database. */
export async function buildChange(
  sql: Sql,
  queued: readonly QueuedChange[],
  index: QdrantCollection,
): Promise<Change> {
  const refs = queued.filter(({ seq }) => seq !== wholeBase)
  const rows = await sql.rows(ChunkRow)`
    select chunk.base, chunk.seq, document_id, title, doc_type, section_id,
      chunk.metadata ->> 'heading' as heading, content, document.metadata as document_metadata,
      chunk.metadata, chunk.in_force_from, chunk.in_force_to, ${fingerprint} as fingerprint,
      array_to_json(embedding.vector)::text as vector
    from ${chunksFor(index)} where (chunk.base, chunk.seq) in (${refsTable(refs)})`
  const existing = new Set(rows.map(({ base, seq }) => pointId(base, seq)))
  const ids = refs.map(({ base, seq }) => pointId(base, seq))
  return {
    points: rows.map((row) => toPoint(row, index)),
    deleted: ids.filter((id) => !existing.has(id)),
    bases: queued.filter(({ seq }) => seq === wholeBase).map(({ base }) => base),
  }
}

function toPoint(row: ChunkRow, { model }: QdrantCollection): Point {
  const { base, seq, document_id, doc_type, section_id, fingerprint } = row
  const { in_force_from, in_force_to } = row
  return {
    id: pointId(base, seq),
    vector: {
      [sparseVectorName]: sparseVector(indexedText(row)),
      ...(row.vector && model !== null ? { [denseVectorName(model)]: JSON.parse(row.vector) } : {}),
    },
    payload: {
      kb: base,
      ...{ document_id, doc_type, section_id, fingerprint },
      metadata: filterableMetadata(row.document_metadata, row.metadata),
      ...(in_force_from ? { from: dayNumber(in_force_from) } : {}),
      ...(in_force_to ? { to: dayNumber(in_force_to) } : {}),
    },
  }
}
