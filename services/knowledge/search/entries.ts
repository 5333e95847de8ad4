import * as z from 'zod'
import { numbers, type Sql } from '../../_kit/sql/sql.ts'
import type { BaseRow } from '../base.ts'
import { decoded } from './postings.ts'
import type { TermEntries } from './score.ts'

const Row = z.object({ base: z.int(), term: z.int(), block: z.int(), entries: z.string() })

/** Entries of terms that were asked for lately, as numbers. */
export interface EntryCache {
  get(key: string): TermEntries[] | undefined
  set(key: string, rows: TermEntries[]): void
}

/** About 64 MB: so many entries of four bytes. */
const mostEntries = 16_000_000

/**
 * Keeps what was used last. A base that got new chunks has another next_seq, and with it other keys;
 * of those that are gone the database knows.
 */
export function makeEntryCache(most = mostEntries): EntryCache {
  const kept = new Map<string, TermEntries[]>()
  let size = 0
  // An empty row has its cost too.
  const sizeOf = (rows: TermEntries[]) =>
    rows.reduce((sum, { entries }) => sum + entries.length + 32, 32)
  return {
    get(key) {
      const rows = kept.get(key)
      if (!rows) return undefined
      kept.delete(key)
      kept.set(key, rows)
      return rows
    },
    set(key, rows) {
      const before = kept.get(key)
      if (before) size -= sizeOf(before)
      kept.delete(key)
      kept.set(key, rows)
      size += sizeOf(rows)
      for (const [oldest, rows] of kept) {
        if (size <= most) break
        kept.delete(oldest)
        size -= sizeOf(rows)
      }
    },
  }
}

/** The entries of some terms in some bases; from the database what is not at hand. */
export async function entriesOf(
  sql: Sql,
  cache: EntryCache,
  bases: readonly BaseRow[],
  terms: readonly number[],
): Promise<TermEntries[]> {
  const found: TermEntries[] = []
  const missing = new Map<string, { key: string; rows: TermEntries[] }>()
  for (const { no, next_seq } of bases) {
    for (const term of terms) {
      const key = `${no} ${next_seq} ${term}`
      const rows = cache.get(key)
      if (rows) found.push(...rows)
      else missing.set(`${no} ${term}`, { key, rows: [] })
    }
  }
  if (missing.size === 0) return found
  const rows = await sql.rows(Row)`
    select base, term, block, entries from knowledge.postings
    where base = any(${ints(bases.map(({ no }) => no))})
      and term = any(${ints(terms.filter((term) => bases.some(({ no }) => missing.has(`${no} ${term}`))))})`
  for (const { base, term, block, entries } of rows) {
    missing.get(`${base} ${term}`)?.rows.push({ base, block, term, entries: decoded(entries) })
  }
  for (const { key, rows } of missing.values()) {
    cache.set(key, rows)
    found.push(...rows)
  }
  return found
}

const ints = (list: readonly number[]) => numbers(list, 'int4')
