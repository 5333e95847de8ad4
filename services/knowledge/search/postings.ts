import { fragment, numberArray, type Sql, textArray } from '../../_kit/sql/sql.ts'
import { idOf, termsOf } from './terms.ts'

/** Chunks of a base have places 0, 1, 2, …; a block is 16,384 of them, a part of it 512. */
const blockBits = 14
const partBits = 9
export const blockSize = 1 << blockBits
export const partOf = (seq: number) => seq >> partBits
const blockOfPart = (part: number) => part >> (blockBits - partBits)
export const blockOf = (seq: number) => seq >> blockBits

/** Where an index that was put in order keeps a whole block. */
export const wholeBlock = -1

/**
 * An entry is 24 bits in four characters: the place in the block (14), how often the chunk has the
 * term (4), and how long the chunk is (6). Text travels alike through every driver.
 */
export const entryLength = 4
const zero = 48

export function entry(seq: number, count: number, length: number): string {
  const value = ((seq & (blockSize - 1)) << 10) | (Math.min(count, 15) << 6) | lengthCode(length)
  return String.fromCharCode(
    zero + (value >>> 18),
    zero + ((value >>> 12) & 63),
    zero + ((value >>> 6) & 63),
    zero + (value & 63),
  )
}

/** Six bits tell a length to a tenth. */
const lengthCode = (length: number) => Math.min(63, Math.round(Math.log(length + 1) * 5.6))
export const lengthOf = (code: number) => Math.exp(code / 5.6) - 1

export const entryAt = (entries: string, at: number): number =>
  ((entries.charCodeAt(at) - zero) << 18) |
  ((entries.charCodeAt(at + 1) - zero) << 12) |
  ((entries.charCodeAt(at + 2) - zero) << 6) |
  (entries.charCodeAt(at + 3) - zero)

export const placeOf = (value: number) => value >>> 10

export interface Indexed {
  seq: number
  text: string
}

/** Entries of chunks by term and part; and how many terms each chunk has. */
function entriesOf(chunks: readonly Indexed[]) {
  const byTerm = new Map<number, Map<number, string>>()
  const lengths = chunks.map(({ seq, text }) => {
    const terms = termsOf(text)
    const counts = new Map<number, number>()
    for (const term of terms) {
      const id = idOf(term)
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    for (const [id, count] of counts) {
      const parts = byTerm.get(id) ?? new Map<number, string>()
      const place = partOf(seq)
      parts.set(place, (parts.get(place) ?? '') + entry(seq, count, terms.length))
      byTerm.set(id, parts)
    }
    return terms.length
  })
  return { byTerm, lengths }
}

export interface Posting {
  term: number
  block: number
  part: number
  entries: string
}

/** Rows for one statement; more would be a long text to no gain. */
const rowsAtOnce = 20_000

/** Adds chunks to the index of a base, in the caller's transaction; says how long each is. */
export async function addPostings(
  sql: Sql,
  base: number,
  chunks: readonly Indexed[],
): Promise<number[]> {
  const { byTerm, lengths } = entriesOf(chunks)
  const rows: Posting[] = []
  for (const [term, parts] of byTerm) {
    for (const [part, entries] of parts)
      rows.push({ term, block: blockOfPart(part), part, entries })
  }
  await writePostings(sql, base, rows)
  return lengths
}

/** In order of term, so that two writers meet their rows in the same order. */
export async function writePostings(sql: Sql, base: number, rows: Posting[]): Promise<void> {
  rows.sort((a, b) => a.term - b.term || a.part - b.part)
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const some = rows.slice(at, at + rowsAtOnce)
    const ints = (member: 'term' | 'block' | 'part') =>
      fragment`${numberArray(
        some.map((row) => row[member]),
        'int4',
      )}`
    await sql`
      insert into knowledge.postings as kept (base, term, block, part, entries)
      select ${base}::int, * from unnest(${ints('term')}, ${ints('block')}, ${ints('part')},
        ${textArray(some.map(({ entries }) => entries))})
      on conflict (base, term, block, part) do update set entries = kept.entries || excluded.entries`
  }
}
