import { fragment, numberArray } from '../../../_kit/sql/sql.ts'

const ints = (list: number[]) => numberArray(list, 'int4')

/**
 * The rows of some chunks, as a table. `offset 0` makes the database look up each of them: it would otherwise
 * read the chunks of all organizations where it takes that for cheaper.
 */
export const chunkRows = (chunks: readonly { base: number; seq: number }[]) => fragment`(
  select found.* from unnest(${ints(chunks.map(({ base }) => base))},
      ${ints(chunks.map(({ seq }) => seq))}) ref (base, seq)
    cross join lateral (
      select * from knowledge.chunks own where own.base = ref.base and own.seq = ref.seq offset 0) found)`
