import * as z from 'zod'
import { enqueue, type JobContext } from '../../_kit/jobs.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { countCitations } from './citations.ts'
import {
  blockSize,
  entryAt,
  entryLength,
  type Posting,
  placeOf,
  wholeBlock,
  writePostings,
} from './postings.ts'

const Payload = z.object({ base: z.int() })
const State = z.object({
  taken: z.int(),
  given_up: z.int(),
  chunks: z.int(),
  next_seq: z.int(),
})
const Place = z.object({ seq: z.int() })
const Row = z.object({ term: z.int(), block: z.int(), part: z.int(), entries: z.string() })

/** Changes that make it worth while: so many, and a quarter of what there is. */
const enough = 1_024

/** Puts a base's index in order some time, where that is worth while; in the caller's transaction. */
export async function enqueueOrdering(sql: Sql, base: number) {
  const state = await sql.row(State)`
    select taken, given_up, chunks, next_seq from knowledge.bases where no = ${base}`
  if (!state) return
  const { taken, given_up, chunks } = state
  if (Math.max(taken, given_up) < Math.max(enough, chunks / 4)) return
  await enqueue(sql, 'knowledge', { kind: 'order', payload: { base }, key: String(base) })
}

/** Chunks of which one step rewrites the entries of one share of the terms. */
const chunksAStep = 512

/**
 * Makes the parts of each block one, without the chunks that are gone. Each step is a transaction of
 * its own: searches see every chunk all the time, and writers wait for a step at most.
 */
export async function orderBase({ sql }: ServiceContext<Deps>, payload: unknown, job: JobContext) {
  const { base } = Payload.parse(payload)
  const begun = await sql.row(State)`
    select taken, given_up, chunks, next_seq from knowledge.bases where no = ${base}`
  if (!begun) return
  const living = await livingIn(sql, base, begun.next_seq)
  // Terms lie evenly among all numbers of 32 bits, so that equal stretches of those are equal work.
  const steps = Math.max(1, Math.ceil((begun.chunks + begun.given_up) / chunksAStep))
  const from = (step: number) => Math.round((2 ** 32 * step) / steps) - 2 ** 31
  for (let step = 0; step < steps; step++) {
    job.signal.throwIfAborted()
    await sql.transaction((sql) => orderSome(sql, base, living, from(step), from(step + 1) - 1))
  }
  await countCitations(sql, base)
  await sql`
    update knowledge.bases set taken = taken - ${begun.taken}, given_up = given_up - ${begun.given_up},
      ordered = ordered + 1
    where no = ${base}`
}

async function orderSome(sql: Sql, base: number, living: Living, least: number, most: number) {
  await sql`select from knowledge.bases where no = ${base} for update`
  const rows = await sql.rows(Row)`
    delete from knowledge.postings where base = ${base} and term between ${least} and ${most}
    returning term, block, part, entries`
  await writePostings(sql, base, merged(rows, living))
}

/** Tells whether a place may hold a chunk: all that came after this was asked may. */
async function livingIn(sql: Sql, base: number, next: number): Promise<Living> {
  const rows = await sql.rows(Place)`select seq from knowledge.chunks where base = ${base}`
  const there = new Set(rows.map(({ seq }) => seq))
  return (seq) => seq >= next || there.has(seq)
}

type Living = (seq: number) => boolean

function merged(rows: readonly Posting[], living: Living): Posting[] {
  const blocks = new Map<string, Posting>()
  for (const { term, block, entries } of rows) {
    const key = `${term} ${block}`
    const whole = blocks.get(key) ?? { term, block, part: wholeBlock, entries: '' }
    for (let at = 0; at < entries.length; at += entryLength) {
      if (living(block * blockSize + placeOf(entryAt(entries, at)))) {
        whole.entries += entries.slice(at, at + entryLength)
      }
    }
    blocks.set(key, whole)
  }
  return [...blocks.values()].filter(({ entries }) => entries !== '')
}
