import { numberArray, type Sql } from '../../_kit/sql/sql.ts'
import type { BaseRow } from '../base.ts'
import type { BaseIndex, SearchCache } from './cache.ts'
import { joined, nothing, type Packed, packed, type Row } from './packed.ts'
import { blockOf } from './postings.ts'

/** What a base has of the terms that were asked for: for each of them, in their order. */
export interface Source {
  base: number
  lengths: Uint8Array
  terms: Packed[]
}

interface Wanted {
  key: string
  base: BaseRow
  index: BaseIndex
  term: number
  /** What is known of it already: entries are only ever added. */
  before: Packed
}

/** The entries of some terms in some bases; from the database what is not at hand. */
export async function entriesOf(
  sql: Sql,
  cache: SearchCache,
  bases: readonly BaseRow[],
  terms: readonly number[],
): Promise<Source[]> {
  const known = bases.map((base) => ({ base, index: cache.indexOf(base) }))
  const wanted: Wanted[] = []
  const found = new Map<string, Packed>()
  for (const { base, index } of known) {
    for (const term of terms) {
      const key = `${index.id} ${term}`
      const before = cache.terms.get(key) ?? nothing(0)
      found.set(key, before)
      if (before.upTo < base.next_seq) wanted.push({ key, base, index, term, before })
    }
  }
  const rows = wanted.length > 0 ? await rowsOf(sql, wanted) : new Map<string, Row[]>()
  for (const { key, base, index, term, before } of wanted) {
    const own = rows.get(`${base.no} ${term}`) ?? []
    const after = packed(own, before.upTo, base.next_seq, index.lengths)
    const now = before.entries.length > 0 ? joined(before, after) : after
    found.set(key, now)
    if ((cache.terms.get(key)?.upTo ?? 0) < now.upTo) cache.terms.set(key, now)
  }
  return known.map(({ base, index }) => ({
    base: base.no,
    lengths: index.lengths,
    terms: terms.map((term) => found.get(`${index.id} ${term}`)!),
  }))
}

/** Our own rows, thousands at a time: they are taken as they are. */
interface TermRow extends Row {
  base: number
  term: number
}

async function rowsOf(sql: Sql, wanted: readonly Wanted[]) {
  // From the first block that anything is wanted of: a base with new chunks is read from there on.
  const firsts = new Map<number, number>()
  for (const { base, before } of wanted) {
    const first = firsts.get(base.no) ?? Number.POSITIVE_INFINITY
    firsts.set(base.no, Math.min(first, blockOf(before.upTo)))
  }
  const terms = [...new Set(wanted.map(({ term }) => term))]
  const rows = (await sql`
    select base, term, block, entries
    from unnest(${ints([...firsts.keys()])}, ${ints([...firsts.values()])}) known (base, first)
      cross join unnest(${ints(terms)}) asked (term)
      join knowledge.postings posting using (base, term)
    where posting.block >= known.first
    order by base, term, block, part`) as unknown as TermRow[]
  const byTerm = new Map<string, Row[]>()
  for (const row of rows) {
    const key = `${row.base} ${row.term}`
    const own = byTerm.get(key)
    if (own) own.push(row)
    else byTerm.set(key, [row])
  }
  return byTerm
}

const ints = (list: readonly number[]) => numberArray(list, 'int4')
