import { addToHash, finishHash, hashStart } from '../../../_kit/hash.ts'
import { enlarge } from './term-table.ts'
import { segmenter, termId, visitTerms, wordPrefix } from './terms.ts'
import { WordCache } from './word-cache.ts'

/** A growing list of term ids. */
export class TermIds {
  #ids = new Int32Array(1_024)
  length = 0

  add(id: number) {
    if (this.length === this.#ids.length) this.#ids = enlarge(this.#ids)
    this.#ids[this.length++] = id
  }

  at = (index: number) => this.#ids[index]!

  toArray = () => this.#ids.slice(0, this.length)
}

/**
 * Adds the ids of all terms of a text, in any order: `extractTerms` and `termId` without a string per term.
 * Returns their number.
 */
export function addTermIds(text: string, ids: TermIds): number {
  const before = ids.length
  const unknown: HanRun[] = []
  visitTerms(
    text,
    (term) => ids.add(termId(term)),
    (source, from, to) => {
      addCharacters(source, from, to, ids)
      const hash = hashRange(source, from, to, hashStart)
      const position = cache.find(hash, source, from, to)
      if (position < 0) unknown.push({ hash, source, from, to })
      else addCachedWords(source, from, to, position, ids)
    },
  )
  if (unknown.length > 0) addWords(unknown, ids)
  return ids.length - before
}

/** A range of a text that is not in the cache. */
interface HanRun {
  hash: number
  source: string
  from: number
  to: number
}

const cache = new WordCache()

const wordStart = addToHash(hashStart, wordPrefix.charCodeAt(0))

const addWord = (text: string, from: number, to: number, ids: TermIds) =>
  ids.add(finishHash(hashRange(text, from, to, wordStart)))

function addCachedWords(text: string, from: number, to: number, position: number, ids: TermIds) {
  for (let at = from; at < to; ) {
    const length = cache.wordLengths[position + at - from]!
    if (length > 1) addWord(text, at, at + length, ids)
    at += length
  }
}

const separator = '\n'

/** Segments all runs at once, since each call of the segmenter has a fixed cost. */
function addWords(runs: readonly HanRun[], ids: TermIds) {
  const segments = segmenter.segment(
    runs.map(({ source, from, to }) => source.slice(from, to)).join(separator),
  )
  let index = 0
  for (const { hash, source, from, to } of runs) {
    const position = cache.add(hash, source, from, to)
    for (let at = from; at < to; ) {
      const { length } = segments.containing(index)!.segment
      if (length > 1) addWord(source, at, at + length, ids)
      if (position >= 0) cache.wordLengths[position + at - from] = length
      at += length
      index += length
    }
    index += separator.length
  }
}

/** Adds the ids of the characters and bigrams of a run. */
function addCharacters(text: string, from: number, to: number, ids: TermIds) {
  let before = from
  for (let at = from; at < to; ) {
    const end = at + (isHighSurrogate(text.charCodeAt(at)) ? 2 : 1)
    ids.add(finishHash(hashRange(text, at, end, hashStart)))
    if (at > from) ids.add(finishHash(hashRange(text, before, end, hashStart)))
    before = at
    at = end
  }
}

const isHighSurrogate = (unit: number) => (unit & 0xfc00) === 0xd800

function hashRange(text: string, from: number, to: number, start: number): number {
  let hash = start
  for (let at = from; at < to; at++) hash = addToHash(hash, text.charCodeAt(at))
  return hash
}
