import * as z from 'zod'

/** What one kind of item does: which files it reads, and what it asks of which service. */
export interface Executor {
  kind: string
  service: 'platform' | 'knowledge'
  /** Where it asks. */
  path: string
  /** The config of an item; members of `files` are paths, one or several. */
  Config: z.ZodObject
  /** What each file must hold that a member of the config names. */
  files: Record<string, z.ZodType>
  /** Further files that the data names, as text. */
  texts?(data: Data): string[]
  /** Two items of a package that hold the same would remove each other's records. */
  exclusiveScopes?(config: Config, data: Data): string[]
  /** What is asked, but for `dry_run` and `source`; several requests where one would be too large. */
  requests(config: Config, data: Data, texts: ReadonlyMap<string, string>): object[]
}

export type Config = Record<string, unknown>

/** The parsed files of each member, in the order that the config names them. */
export type Data = Record<string, unknown[]>

export const Counts = z.object({
  created: z.int().default(0),
  updated: z.int().default(0),
  unchanged: z.int().default(0),
  deleted: z.int().default(0),
})
export type Counts = z.output<typeof Counts>

/** Counts, and where the target tells it a digest of what it would replace. */
export const TargetResponse = Counts.extend({ digest: z.string().optional() })

/** One path, or several. */
export const Paths = z.union([
  z.string().min(1).max(500),
  z.array(z.string().min(1).max(500)).max(500),
])

/** A file that is a list, or an object with the list under its name. */
export const listSchema = (member: string, Record: z.ZodType) =>
  z.preprocess(
    (value) =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? (value as Config)[member]
        : value,
    z.array(Record, `A list, or an object with the list ${member}.`),
  )

/** A record of which only the key is looked at here; the rest is the target's to judge. */
export const recordWithKey = (key: string) =>
  z.looseObject({ [key]: z.union([z.string().min(1), z.int()]) })

export const recordsIn = (data: Data, member: string): unknown[] => (data[member] ?? []).flat()

/** Lists of at most so many records and about so many bytes. */
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
