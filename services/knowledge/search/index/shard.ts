import * as z from 'zod'
import { fragment } from '../../../_kit/sql/sql.ts'

/** A shard: an index over the chunks of some bases. By its counters a search validates what is cached of it. */
export const Shard = z.object({
  no: z.int(),
  next_seq: z.int(),
  delete_generation: z.int(),
  merge_generation: z.int(),
  numbering: z.int(),
  layout: z.int(),
})
export type Shard = z.infer<typeof Shard>

export const shardColumns = fragment`shard.no, shard.next_seq, shard.delete_generation,
  shard.merge_generation, shard.numbering, shard.layout`
