import * as z from 'zod'
import { JsonObject } from '../../_kit/fields.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import { textOf } from '../text.ts'
import type { Change, Point } from './collection.ts'
import type { Index } from './indexes.ts'
import { chunksFor, mark } from './mark.ts'
import { type Pending, placesOf, wholeBase } from './pending.ts'
import { byWords, dayOf, filterable, meaningOf, pointId, sparseOf } from './point.ts'

const Row = z.object({
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
  mark: z.string(),
})
type Row = z.infer<typeof Row>

/** What a collection is to be told of some places: what the database holds there now. */
export async function changeOf(sql: Sql, some: readonly Pending[], index: Index): Promise<Change> {
  const places = some.filter(({ seq }) => seq !== wholeBase)
  const rows = await sql.rows(Row)`
    select chunk.base, chunk.seq, document_id, title, doc_type, section_id,
      chunk.metadata ->> 'heading' as heading, content, document.metadata as document_metadata,
      chunk.metadata, in_force_from, in_force_to, ${mark} as mark,
      array_to_json(embedding.vector)::text as vector
    from ${chunksFor(index)} where (chunk.base, chunk.seq) in (${placesOf(places)})`
  const there = new Set(rows.map(({ base, seq }) => pointId(base, seq)))
  const ids = places.map(({ base, seq }) => pointId(base, seq))
  return {
    points: rows.map((row) => pointOf(row, index)),
    gone: ids.filter((id) => !there.has(id)),
    bases: some.filter(({ seq }) => seq === wholeBase).map(({ base }) => base),
  }
}

function pointOf(row: Row, { model }: Index): Point {
  const { base, seq, document_id, doc_type, section_id, mark } = row
  const { in_force_from, in_force_to } = row
  return {
    id: pointId(base, seq),
    vector: {
      [byWords]: sparseOf(textOf(row)),
      ...(row.vector && model !== null ? { [meaningOf(model)]: JSON.parse(row.vector) } : {}),
    },
    payload: {
      kb: base,
      ...{ document_id, doc_type, section_id, mark },
      metadata: filterable(row.document_metadata, row.metadata),
      ...(in_force_from ? { from: dayOf(in_force_from) } : {}),
      ...(in_force_to ? { to: dayOf(in_force_to) } : {}),
    },
  }
}
