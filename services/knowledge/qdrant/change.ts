import * as z from 'zod'
import { JsonObject } from '../../_kit/fields.ts'
import { numbers, type Sql } from '../../_kit/sql/sql.ts'
import { textOf } from '../text.ts'
import type { Change, Point } from './collection.ts'
import { type Pending, wholeBase } from './pending.ts'
import { byMeaning, byWords, dayOf, pointId, sparseOf } from './point.ts'

const Row = z.object({
  base: z.int(),
  seq: z.int(),
  document_id: z.string(),
  title: z.string(),
  doc_type: z.string(),
  section_id: z.string().nullable(),
  heading: z.string().nullable(),
  content: z.string(),
  metadata: JsonObject,
  in_force_from: z.string().nullable(),
  in_force_to: z.string().nullable(),
  vector: z.string().nullable(),
})
type Row = z.infer<typeof Row>

/** What the engine is to be told of some places: what the database holds there now. */
export async function changeOf(
  sql: Sql,
  some: readonly Pending[],
  model: string | undefined,
): Promise<Change> {
  const places = some.filter(({ seq }) => seq !== wholeBase)
  const rows = await rowsAt(sql, places, model ?? '')
  const there = new Set(rows.map(({ base, seq }) => pointId(base, seq)))
  const ids = places.map(({ base, seq }) => pointId(base, seq))
  return {
    points: rows.map(pointOf),
    gone: ids.filter((id) => !there.has(id)),
    bases: some.filter(({ seq }) => seq === wholeBase).map(({ base }) => base),
  }
}

const rowsAt = (sql: Sql, places: readonly Pending[], model: string) =>
  sql.rows(Row)`
    select chunk.base, chunk.seq, document_id, title, doc_type, section_id,
      chunk.metadata ->> 'heading' as heading, content,
      document.metadata || chunk.metadata as metadata, in_force_from, in_force_to,
      array_to_json(embedding.vector)::text as vector
    from unnest(${numbers(
      places.map(({ base }) => base),
      'int4',
    )}, ${numbers(
      places.map(({ seq }) => seq),
      'int4',
    )}) place (base, seq)
      join knowledge.chunks chunk using (base, seq)
      join knowledge.documents document using (base, document_id)
      left join knowledge.embeddings embedding
        on embedding.hash = chunk.hash and embedding.model = ${model}`

function pointOf(row: Row): Point {
  const { base, seq, document_id, doc_type, section_id, metadata, in_force_from, in_force_to } = row
  return {
    id: pointId(base, seq),
    vector: {
      [byWords]: sparseOf(textOf(row)),
      ...(row.vector ? { [byMeaning]: JSON.parse(row.vector) } : {}),
    },
    payload: {
      kb: base,
      ...{ document_id, doc_type, section_id, metadata },
      ...(in_force_from ? { from: dayOf(in_force_from) } : {}),
      ...(in_force_to ? { to: dayOf(in_force_to) } : {}),
    },
  }
}
