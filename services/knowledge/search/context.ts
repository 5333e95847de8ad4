import * as z from 'zod'
import { numbers, type Sql } from '../../_kit/sql/sql.ts'
import type { Scored } from './top.ts'

/** So many of the best are seen in their context; the order of the rest stands. */
export const seen = 500

/** What the best other chunk of the document adds, a neighbour, and how often others cite the document. */
const ofOther = 0.3
const ofNeighbour = 0.1
const ofCitations = 0.043

const Row = z.object({
  base: z.int(),
  seq: z.int(),
  document_id: z.string(),
  chunk_index: z.int(),
  cited: z.int(),
})
type Placed = z.infer<typeof Row> & { score: number }

/**
 * Chunks scored with their context: where a law has one article that answers a question, its others are
 * likelier to, those beside it above all; and a law that others often cite is likelier than one that
 * none does. Chunks that are gone are left out.
 */
export async function inContext(sql: Sql, scored: readonly Scored[]): Promise<Scored[]> {
  const close = await placed(sql, scored.slice(0, seen))
  const top = close[0]?.score ?? 0
  const bests = new Map<string, { first: number; second: number }>()
  const scores = new Map<string, number>()
  for (const each of close) {
    const document = documentOf(each)
    const best = bests.get(document) ?? { first: 0, second: 0 }
    // The best come first.
    if (best.first === 0) best.first = each.score
    else if (best.second === 0) best.second = each.score
    bests.set(document, best)
    scores.set(chunkOf(each, 0), each.score)
  }
  const inside = close.map((each) => {
    const { first, second } = bests.get(documentOf(each))!
    const beside = [-1, 1].map((step) => scores.get(chunkOf(each, step)) ?? 0)
    const score =
      each.score +
      ofOther * (each.score === first ? second : first) +
      ofNeighbour * Math.max(...beside) +
      ofCitations * top * Math.log1p(each.cited)
    return { base: each.base, seq: each.seq, score }
  })
  inside.sort((a, b) => b.score - a.score || a.base - b.base || a.seq - b.seq)
  return [...inside, ...scored.slice(seen)]
}

const documentOf = ({ base, document_id }: Placed) => `${base} ${document_id}`
const chunkOf = ({ base, document_id, chunk_index }: Placed, step: number) =>
  `${base} ${chunk_index + step} ${document_id}`

async function placed(sql: Sql, scored: readonly Scored[]): Promise<Placed[]> {
  const ints = (list: number[]) => numbers(list, 'int4')
  const rows = await sql.rows(Row)`
    select base, seq, document_id, chunk_index, cited
    from unnest(${ints(scored.map(({ base }) => base))}, ${ints(scored.map(({ seq }) => seq))})
        wanted (base, seq)
      join knowledge.chunks using (base, seq)
      join knowledge.documents using (base, document_id)`
  const byPlace = new Map(rows.map((row) => [`${row.base} ${row.seq}`, row]))
  return scored.flatMap(({ base, seq, score }) => {
    const row = byPlace.get(`${base} ${seq}`)
    return row ? [{ ...row, score }] : []
  })
}
