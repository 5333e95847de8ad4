import * as z from 'zod'
import { errorFields } from '../../_kit/log.ts'
import type { Given } from '../../_kit/service.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { aliased } from './client.ts'
import { countIn, idsIn } from './collection.ts'
import type { Engine } from './engine.ts'
import { enqueueIndexing, pend } from './pending.ts'
import { placeOf, pointId } from './point.ts'

const State = z.object({ chunks: z.int(), pending: z.boolean() })
const Place = z.object({ base: z.int(), seq: z.int() })

/** Sees that the engine holds what the database does, and has it mended where it does not. */
export async function checkIndex({ sql, engine, kit }: Given<Deps>): Promise<void> {
  if (!engine) return
  try {
    const state = await sql.row(State)`
      select count(*) as chunks, exists (select from knowledge.pending) as pending
      from knowledge.chunks`
    const searched = await aliased(engine.qdrant, engine.alias)
    if (state!.pending || searched !== engine.collection) await enqueueIndexing(sql)
    else if ((await countIn(engine)) !== state!.chunks) await mend(sql, engine)
  } catch (thrown) {
    kit.log.warn(errorFields(thrown), 'the search engine could not be checked')
  }
}

async function mend(sql: Sql, engine: Engine) {
  const there = await idsIn(engine)
  const places = await sql.rows(Place)`select base, seq from knowledge.chunks`
  const odd = new Map<number, number[]>()
  const add = (base: number, seq: number) => {
    const seqs = odd.get(base)
    if (seqs) seqs.push(seq)
    else odd.set(base, [seq])
  }
  for (const { base, seq } of places) {
    if (!there.delete(pointId(base, seq))) add(base, seq)
  }
  for (const id of there) {
    const { base, seq } = placeOf(id)
    add(base, seq)
  }
  for (const [base, seqs] of odd) await pend(sql, base, seqs)
}
