import { shortLawKey } from '../../law/numerals.ts'
import type { ScoredChunk } from '../rank/scored-chunk.ts'
import { grownCapacity } from './capacity.ts'

export interface DocumentInfo {
  document_id: string
  /** Number of chunks of the base that cite the document. */
  citation_count: number
  /** Normalized title (`shortLawKey`). */
  law: string
}

/** A scored chunk with its document and its position in it. */
export interface LocatedChunk extends ScoredChunk {
  document: DocumentInfo
  chunk_index: number
  /** Article number, null if the chunk is no article. */
  article: string | null
}

export interface ColumnRow extends Omit<DocumentInfo, 'law'> {
  title: string
  base: number
  seq: number
  chunk_index: number
  article: string | null
}

const deleted = -1
/** Marks an article number with a suffix (675-1), which is kept in a map. */
const subArticle = -1

/**
 * Document, index and article of each chunk of a shard, as typed arrays by sequence number. Filled on
 * demand; valid until a chunk of the shard is deleted (`deleteGeneration`).
 */
export class ChunkColumns {
  readonly deleteGeneration: number
  readonly #documents: DocumentInfo[] = []
  readonly #numbers = new Map<string, number>()
  /** Number of the document, from 1 on; 0 if not loaded. */
  #document = new Int32Array(0)
  #index = new Int32Array(0)
  /** Article number, 0 if the chunk is no article. */
  #article = new Int32Array(0)
  readonly #subArticles = new Map<number, string>()

  constructor(deleteGeneration: number) {
    this.deleteGeneration = deleteGeneration
  }

  get bytes() {
    return 12 * this.#document.length + 200 * this.#documents.length + 80 * this.#subArticles.size
  }

  isLoaded = (seq: number) => (this.#document[seq] ?? 0) !== 0

  /** Undefined if the chunk was deleted. */
  locate(scored: ScoredChunk): LocatedChunk | undefined {
    const number = this.#document[scored.seq] ?? deleted
    if (number === deleted) return undefined
    const { base, seq, score } = scored
    const document = this.#documents[number - 1]!
    return {
      base,
      seq,
      score,
      document,
      chunk_index: this.#index[seq]!,
      article: this.#articleAt(seq),
    }
  }

  #articleAt(seq: number): string | null {
    const article = this.#article[seq]!
    if (article === 0) return null
    return article === subArticle ? this.#subArticles.get(seq)! : String(article)
  }

  /** Stores the rows of `seqs`; a sequence number without a row is marked as deleted. */
  fill(seqs: readonly number[], rows: readonly ColumnRow[]) {
    const last = seqs.reduce((last, seq) => Math.max(last, seq), -1)
    if (last >= this.#document.length) {
      this.#document = grow(this.#document, last + 1)
      this.#index = grow(this.#index, last + 1)
      this.#article = grow(this.#article, last + 1)
    }
    for (const seq of seqs) this.#document[seq] = deleted
    for (const { base, seq, document_id, title, citation_count, chunk_index, article } of rows) {
      const key = `${base} ${document_id}`
      let number = this.#numbers.get(key)
      if (number === undefined) {
        number = this.#documents.push({ document_id, citation_count, law: shortLawKey(title) })
        this.#numbers.set(key, number)
      }
      this.#document[seq] = number
      this.#index[seq] = chunk_index
      this.#article[seq] =
        article === null ? 0 : /^[1-9]\d{0,8}$/.test(article) ? Number(article) : subArticle
      if (article !== null && this.#article[seq] === subArticle) this.#subArticles.set(seq, article)
    }
  }
}

function grow(before: Int32Array<ArrayBuffer>, chunks: number) {
  const after = new Int32Array(grownCapacity(chunks))
  after.set(before)
  return after
}
