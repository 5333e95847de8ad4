import { fragment, numberArray, type Sql } from '../../_kit/sql/sql.ts'
import type { BaseRow } from '../base.ts'
import { lawKey } from '../law/numerals.ts'
import { roomFor, type SearchCache } from './cache.ts'
import type { Scored } from './top.ts'

/** A document as the ranking of its chunks sees it. */
export interface DocumentHead {
  document_id: string
  /** How many chunks of the base cite it. */
  cited: number
  /** Its title as a law is looked up by. */
  law: string
}

/** A chunk that was scored, with where it stands. */
export interface Placed extends Scored {
  document: DocumentHead
  chunk_index: number
  /** The number of the article that it is. */
  article: string | null
}

interface HeadRow extends Omit<DocumentHead, 'law'> {
  title: string
  base: number
  seq: number
  chunk_index: number
  article: string | null
}

const gone = -1
/** An article whose number is more than a number: 675-1. */
const odd = -1

/** Which document each place belongs to: the same until a place is given up. */
export class Heads {
  readonly removed: number
  readonly #documents: DocumentHead[] = []
  readonly #numbers = new Map<string, number>()
  /** The number of its document from 1 on, 0 where it was not asked for yet. */
  #document = new Int32Array(0)
  #index = new Int32Array(0)
  /** The number of the article that it is, 0 where it is none. */
  #article = new Int32Array(0)
  readonly #oddArticles = new Map<number, string>()

  constructor(removed: number) {
    this.removed = removed
  }

  get size() {
    return 12 * this.#document.length + 200 * this.#documents.length + 80 * this.#oddArticles.size
  }

  knows = (seq: number) => (this.#document[seq] ?? 0) !== 0

  /** Undefined where nothing is there any more. */
  at(scored: Scored): Placed | undefined {
    const number = this.#document[scored.seq] ?? gone
    if (number === gone) return undefined
    const { base, seq, score } = scored
    const document = this.#documents[number - 1]!
    return { base, seq, score, document, chunk_index: this.#index[seq]!, article: this.#named(seq) }
  }

  #named(seq: number): string | null {
    const article = this.#article[seq]!
    if (article === 0) return null
    return article === odd ? this.#oddArticles.get(seq)! : String(article)
  }

  /** Notes the heads of some places, and that the others asked for are gone. */
  note(seqs: readonly number[], rows: readonly HeadRow[]) {
    const last = seqs.reduce((last, seq) => Math.max(last, seq), -1)
    if (last >= this.#document.length) {
      this.#document = grown(this.#document, last + 1)
      this.#index = grown(this.#index, last + 1)
      this.#article = grown(this.#article, last + 1)
    }
    for (const seq of seqs) this.#document[seq] = gone
    for (const { seq, document_id, title, cited, chunk_index, article } of rows) {
      let number = this.#numbers.get(document_id)
      if (number === undefined) {
        number = this.#documents.push({ document_id, cited, law: lawKey(title) })
        this.#numbers.set(document_id, number)
      }
      this.#document[seq] = number
      this.#index[seq] = chunk_index
      this.#article[seq] =
        article === null ? 0 : /^[1-9]\d{0,8}$/.test(article) ? Number(article) : odd
      if (article !== null && this.#article[seq] === odd) this.#oddArticles.set(seq, article)
    }
  }
}

function grown(before: Int32Array<ArrayBuffer>, places: number) {
  const after = new Int32Array(roomFor(places))
  after.set(before)
  return after
}

/** Scored places with their heads, in the same order; those that are gone are left out. */
export async function placedAt(
  sql: Sql,
  cache: SearchCache,
  bases: readonly BaseRow[],
  scored: readonly Scored[],
): Promise<Placed[]> {
  const heads = new Map(bases.map((base) => [base.no, cache.indexOf(base).heads]))
  const missing = scored.filter(({ base, seq }) => heads.get(base)?.knows(seq) === false)
  if (missing.length > 0) {
    const ahead = aheadOf(bases, missing[0]!)
    const rows = (await Promise.all([headsAt(sql, missing), headsIn(sql, ahead)])).flat()
    for (const [no, own] of heads) {
      const seqs = missing.filter(({ base }) => base === no).map(({ seq }) => seq)
      for (let seq = ahead.from; no === ahead.base && seq < ahead.to; seq++) seqs.push(seq)
      if (seqs.length === 0) continue
      own.note(
        seqs,
        rows.filter(({ base }) => base === no),
      )
    }
  }
  return scored.flatMap((each) => heads.get(each.base)?.at(each) ?? [])
}

/** Places are read in stretches too, one with every search that lacks some: soon none does. */
const stretch = 1_024

function aheadOf(bases: readonly BaseRow[], { base, seq }: Scored) {
  const from = seq - (seq % stretch)
  // Those from the next place on may come at any moment: they are not gone.
  const next = bases.find(({ no }) => no === base)!.next_seq
  return { base, from, to: Math.min(from + stretch, next) }
}

const columns = fragment`base, seq, document_id, title, chunk_index, article, cited`

/** Our own rows, hundreds at a time: they are taken as they are. */
const headsAt = (sql: Sql, places: readonly Scored[]) =>
  sql`
    select ${columns}
    from unnest(${ints(places.map(({ base }) => base))}, ${ints(places.map(({ seq }) => seq))})
        wanted (base, seq)
      join knowledge.chunks using (base, seq)
      join knowledge.documents using (base, document_id)` as Promise<unknown> as Promise<HeadRow[]>

const headsIn = (sql: Sql, { base, from, to }: { base: number; from: number; to: number }) =>
  sql`
    select ${columns}
    from knowledge.chunks join knowledge.documents using (base, document_id)
    where base = ${base} and seq >= ${from} and seq < ${to}` as Promise<unknown> as Promise<
    HeadRow[]
  >

const ints = (list: number[]) => numberArray(list, 'int4')
