import { tokenize } from '../../_kit/tokenize.ts'
import { Lru } from './lru.ts'

interface Chunk {
  title: string
  section_id: string | null
  content: string
  metadata: Record<string, unknown>
}

/** A chunk's texts as a closer look needs them, made when they are first asked for. */
export class Texts {
  readonly #chunk: Chunk
  #title?: ReadonlySet<string>
  #section?: ReadonlySet<string>
  #plain?: string

  constructor(chunk: Chunk) {
    this.#chunk = chunk
  }

  /** The words of its title. */
  get title() {
    this.#title ??= longWords(this.#chunk.title)
    return this.#title
  }

  /** The words of its section's name. */
  get section() {
    const { section_id, metadata } = this.#chunk
    const heading = typeof metadata.heading === 'string' ? metadata.heading : ''
    this.#section ??= longWords(`${section_id ?? ''} ${heading}`)
    return this.#section
  }

  /** Its letters and digits alone. */
  get plain() {
    this.#plain ??= plainOf(this.#chunk.content)
    return this.#plain
  }
}

/** Titles and names of sections are the same for many chunks. */
const known = new Lru<ReadonlySet<string>>(4 * 2 ** 20, (words) => 400 + 100 * words.size)

export function longWords(text: string): ReadonlySet<string> {
  const before = known.get(text)
  if (before) return before
  const found = new Set(tokenize(text).filter((word) => word.length > 1))
  known.set(text, found)
  return found
}

export const plainOf = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
