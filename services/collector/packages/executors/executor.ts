import * as z from 'zod'

/** Definition of an item kind: the files it reads and the requests it sends to a target service. */
export interface Executor {
  kind: string
  service: 'platform' | 'knowledge'
  /** Path of the target endpoint. */
  path: string
  /** Schema of the item config. Fields in `files` are one path or a list of paths. */
  Config: z.ZodObject
  /** Schema of the files named by a config field. */
  files: Record<string, z.ZodType>
  /** Paths of text files that the data refers to. */
  texts?(data: Data): string[]
  /** Record sets that the item replaces. Two items of a package must not share one. */
  exclusiveScopes?(config: Config, data: Data): string[]
  /** Request bodies without `dry_run` and `source`, split if one would be too large. */
  requests(config: Config, data: Data, texts: ReadonlyMap<string, string>): object[]
}

export type Config = Record<string, unknown>

/** Parsed files by config field, in the order of the config. */
export type Data = Record<string, unknown[]>

export const Counts = z.object({
  created: z.int().default(0),
  updated: z.int().default(0),
  unchanged: z.int().default(0),
  deleted: z.int().default(0),
})
export type Counts = z.output<typeof Counts>

/** Counts and, if the target supports it, a digest of the records it would replace. */
export const TargetResponse = Counts.extend({ digest: z.string().optional() })

/** One path or a list of paths. */
export const Paths = z.union([
  z.string().min(1).max(500),
  z.array(z.string().min(1).max(500)).max(500),
])

/** Schema of a file that is a list, or an object with the list in field `member`. */
export const listSchema = (member: string, Record: z.ZodType) =>
  z.preprocess(
    (value) =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? (value as Config)[member]
        : value,
    z.array(Record, `Must be a list or an object with the list ${member}.`),
  )

/** Schema of a record that checks only its key. The target validates the rest. */
export const recordWithKey = (key: string) =>
  z.looseObject({ [key]: z.union([z.string().min(1), z.int()]) })

export const recordsIn = (data: Data, member: string): unknown[] => (data[member] ?? []).flat()

/** Splits records into batches by count and approximate size. */
export function splitBatches<T>(
  records: readonly T[],
  maxRecords: number,
  maxBytes: number,
): T[][] {
  const found: T[][] = [[]]
  let bytes = 0
  for (const record of records) {
    const size = JSON.stringify(record).length * 3
    const last = found.at(-1)!
    if (last.length > 0 && (last.length === maxRecords || bytes + size > maxBytes)) {
      found.push([record])
      bytes = size
    } else {
      last.push(record)
      bytes += size
    }
  }
  return found
}
