import { numberArray, type Sql } from '../../../_kit/sql/sql.ts'

/** Consecutive sequence numbers of one base. */
export interface SeqRange {
  first_seq: number
  end_seq: number
  base: number
}

/** Base of a sequence number that no base has: its base was moved or deleted. */
export const noBase = -1

/** The bases of the sequence numbers of a shard. Valid for one `layout` of the shard. */
export class SeqRanges {
  readonly layout: number
  /** Complete below this number. */
  readonly coveredUntil: number
  /** Ascending, without overlaps. */
  readonly #ranges: readonly SeqRange[]

  constructor(layout: number, coveredUntil = 0, ranges: readonly SeqRange[] = []) {
    this.layout = layout
    this.coveredUntil = coveredUntil
    this.#ranges = ranges
  }

  get bytes() {
    return 100 + 64 * this.#ranges.length
  }

  /** Appends the ranges from `coveredUntil` on. */
  extend(rows: readonly SeqRange[], coveredUntil: number): SeqRanges {
    const ranges = [...this.#ranges]
    for (const { base, ...row } of rows) {
      const first_seq = Math.max(row.first_seq, this.coveredUntil)
      const end_seq = Math.min(row.end_seq, coveredUntil)
      if (first_seq >= end_seq) continue
      const last = ranges.at(-1)
      if (last?.base === base && last.end_seq === first_seq) {
        ranges[ranges.length - 1] = { ...last, end_seq }
      } else ranges.push({ first_seq, end_seq, base })
    }
    return new SeqRanges(this.layout, coveredUntil, ranges)
  }

  /** Returns the range of a sequence number; undefined if no base has it. */
  find(seq: number): SeqRange | undefined {
    const ranges = this.#ranges
    let [low, high] = [0, ranges.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (ranges[middle]!.end_seq <= seq) low = middle + 1
      else high = middle
    }
    const found = ranges[low]
    return found && found.first_seq <= seq ? found : undefined
  }

  baseOf = (seq: number): number => this.find(seq)?.base ?? noBase

  /**
   * Marks the sequence numbers below `end` that belong to searched bases; undefined if all do. Numbers that are
   * not covered are not marked.
   */
  mark(isSearched: { has(base: number): boolean }, end: number): Uint8Array | undefined {
    const searched = this.#ranges.filter(({ base }) => isSearched.has(base))
    const count = searched.reduce(
      (sum, { first_seq, end_seq }) => sum + Math.max(0, Math.min(end_seq, end) - first_seq),
      0,
    )
    if (count === end) return undefined
    const marks = new Uint8Array(end)
    for (const { first_seq, end_seq } of searched) marks.fill(1, first_seq, end_seq)
    return marks
  }
}

/** Adds new sequence numbers of a base, in the caller's transaction. */
export const writeSeqRange = (
  sql: Sql,
  shard: number,
  { first_seq, end_seq, base }: SeqRange,
) => sql`
  with extended as (
    update knowledge.seq_ranges set end_seq = ${end_seq}
    where shard = ${shard} and end_seq = ${first_seq} and base = ${base} returning 1)
  insert into knowledge.seq_ranges (shard, first_seq, end_seq, base)
  select ${shard}::int, ${first_seq}::int, ${end_seq}::int, ${base}::int
  where not exists (select from extended)`

/** Writes the ranges of chunks whose bases are given by sequence number, from 0 on. */
export async function writeSeqRanges(sql: Sql, shard: number, bases: Int32Array) {
  const ranges: SeqRange[] = []
  bases.forEach((base, seq) => {
    const last = ranges.at(-1)
    if (last?.base === base) last.end_seq++
    else ranges.push({ first_seq: seq, end_seq: seq + 1, base })
  })
  const ints = (member: keyof SeqRange) =>
    numberArray(
      ranges.map((range) => range[member]),
      'int4',
    )
  await sql`
    insert into knowledge.seq_ranges (shard, first_seq, end_seq, base)
    select ${shard}::int, * from unnest(${ints('first_seq')}, ${ints('end_seq')}, ${ints('base')})`
}
