import { tokenize } from '../../../_kit/tokenize.ts'
import { Lru } from '../index/lru.ts'

interface ChunkTexts {
  title: string
  section_id: string | null
  content: string
  metadata: Record<string, unknown>
}

/** Fields of a chunk that phrase rescoring reads. Computed on first use and kept with the chunk. */
export class RescoreFields {
  readonly #chunk: ChunkTexts
  #title?: ReadonlySet<string>
  #section?: ReadonlySet<string>
  #letters?: string

  constructor(chunk: ChunkTexts) {
    this.#chunk = chunk
  }

  get titleTokens() {
    this.#title ??= multiCharacterTokens(this.#chunk.title)
    return this.#title
  }

  get sectionTokens() {
    const { section_id, metadata } = this.#chunk
    const heading = typeof metadata.heading === 'string' ? metadata.heading : ''
    this.#section ??= multiCharacterTokens(`${section_id ?? ''} ${heading}`)
    return this.#section
  }

  get letters() {
    this.#letters ??= lettersAndDigits(this.#chunk.content)
    return this.#letters
  }
}

/** Shared by all chunks: many have the same title or section name. */
const tokensByText = new Lru<ReadonlySet<string>>(4 * 2 ** 20, (words) => 400 + 100 * words.size)

export function multiCharacterTokens(text: string): ReadonlySet<string> {
  const cached = tokensByText.get(text)
  if (cached) return cached
  const tokens = new Set(tokenize(text).filter((token) => token.length > 1))
  tokensByText.set(text, tokens)
  return tokens
}

export const lettersAndDigits = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
