import { numbers, type Sql } from '../../_kit/sql/sql.ts'
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

/** Which document each place belongs to: the same until a place is given up. */
export class Heads {
  readonly removed: number
  readonly #documents: DocumentHead[] = []
  readonly #numbers = new Map<string, number>()
  /** The number of its document from 1 on, 0 where it was not asked for yet. */
  #document = new Int32Array(0)
  #index = new Int32Array(0)
  readonly #articles = new Map<number, string>()

  constructor(removed: number) {
    this.removed = removed
  }

  get size() {
    return 8 * this.#document.length + 200 * this.#documents.length + 80 * this.#articles.size
  }

  knows = (seq: number) => (this.#document[seq] ?? 0) !== 0

  /** Undefined where nothing is there any more. */
  at(scored: Scored): Placed | undefined {
    const number = this.#document[scored.seq] ?? gone
    if (number === gone) return undefined
    const { base, seq, score } = scored
    const document = this.#documents[number - 1]!
    const article = this.#articles.get(seq) ?? null
    return { base, seq, score, document, chunk_index: this.#index[seq]!, article }
  }

  /** Notes the heads of some places, and that the others asked for are gone. */
  note(seqs: readonly number[], rows: readonly HeadRow[]) {
    const last = Math.max(...seqs)
    if (last >= this.#document.length) {
      this.#document = grown(this.#document, last + 1)
      this.#index = grown(this.#index, last + 1)
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
      if (article !== null) this.#articles.set(seq, article)
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
    const rows = await headsAt(sql, missing)
    for (const [no, own] of heads) {
      const seqs = missing.filter(({ base }) => base === no).map(({ seq }) => seq)
      if (seqs.length === 0) continue
      own.note(
        seqs,
        rows.filter(({ base }) => base === no),
      )
    }
  }
  return scored.flatMap((each) => heads.get(each.base)?.at(each) ?? [])
}

/** Our own rows, hundreds at a time: they are taken as they are. */
const headsAt = (sql: Sql, places: readonly Scored[]) =>
  sql`
    select base, seq, document_id, title, chunk_index, article, cited
    from unnest(${ints(places.map(({ base }) => base))}, ${ints(places.map(({ seq }) => seq))})
        wanted (base, seq)
      join knowledge.chunks using (base, seq)
      join knowledge.documents using (base, document_id)` as Promise<unknown> as Promise<HeadRow[]>

const ints = (list: number[]) => numbers(list, 'int4')
