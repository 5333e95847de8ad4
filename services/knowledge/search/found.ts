import { fragment, numberArray, type Sql } from '../../_kit/sql/sql.ts'
import type { BaseRow } from '../base.ts'
import type { SearchCache } from './cache.ts'
import type { Hit } from './question.ts'
import { Texts } from './texts.ts'
import type { Scored } from './top.ts'

/** A chunk as it is shown, and when it is in force. */
export interface Row {
  shown: Omit<Hit, 'score' | 'matched_by'>
  in_force_from: string | null
  in_force_to: string | null
  texts: Texts
}

/** A chunk that was found. */
export interface Found extends Scored {
  row: Row
}

/** Our own rows, a hundred and more at a time: they are taken as they are. */
type Read = Row['shown'] & Pick<Row, 'in_force_from' | 'in_force_to'> & Omit<Scored, 'score'>

/** Places as the chunks that are there, in the same order; those that are gone are left out. */
export async function foundAt(
  sql: Sql,
  scored: readonly Scored[],
  where: ReturnType<typeof fragment> = fragment``,
): Promise<Found[]> {
  if (scored.length === 0) return []
  const ints = (list: number[]) => numberArray(list, 'int4')
  const rows = (await sql`
    select chunk.base, chunk.seq, base.id as kb_id, document_id, title, doc_type, chunk_index,
      section_id, content, chunk.metadata, in_force_from, in_force_to
    from unnest(${ints(scored.map(({ base }) => base))}, ${ints(scored.map(({ seq }) => seq))})
        wanted (base, seq)
      join knowledge.chunks chunk using (base, seq)
      join knowledge.documents document using (base, document_id)
      join knowledge.bases base on base.no = chunk.base
    where true ${where}`) as unknown as Read[]
  const byPlace = new Map(
    rows.map(({ base, seq, in_force_from, in_force_to, ...shown }) => [
      `${base} ${seq}`,
      { shown, in_force_from, in_force_to, texts: new Texts(shown) },
    ]),
  )
  return scored.flatMap(({ base, seq, score }) => {
    const row = byPlace.get(`${base} ${seq}`)
    return row ? [{ base, seq, score, row }] : []
  })
}

/** The same, those of them that are in force on a day; from the database what is not at hand. */
export async function keptAt(
  sql: Sql,
  cache: SearchCache,
  bases: readonly BaseRow[],
  scored: readonly Scored[],
  day: string,
): Promise<Found[]> {
  const versions = new Map(bases.map(({ no, version }) => [no, version]))
  const keyOf = ({ base, seq }: Scored) => `${base} ${versions.get(base)} ${seq}`
  const rows = scored.map((each) => cache.rows.get(keyOf(each)))
  const missing = scored.filter((_, index) => rows[index] === undefined)
  const read = new Map<string, Row>()
  for (const found of await foundAt(sql, missing)) {
    const key = keyOf(found)
    read.set(key, found.row)
    cache.rows.set(key, found.row)
  }
  return scored.flatMap((each, index) => {
    const row = rows[index] ?? read.get(keyOf(each))
    if (!row || !isInForce(row, day)) return []
    return [{ base: each.base, seq: each.seq, score: each.score, row }]
  })
}

const isInForce = ({ in_force_from: from, in_force_to: to }: Row, day: string) =>
  (from === null || from <= day) && (to === null || to > day)
