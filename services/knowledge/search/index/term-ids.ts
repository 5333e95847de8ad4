import { addToHash, finishHash, hashStart } from '../../../_kit/hash.ts'
import { segmenter, termId, visitTerms, wordPrefix } from './terms.ts'

/** Runs of Han text in each of the two generations. */
const maxRuns = 40_000

/**
 * Term ids of runs of Han text. Texts of laws repeat their clauses, and the segmentation into words takes
 * most of the time of an import. When the younger generation is full, it replaces the older one.
 */
let younger = new Map<string, Int32Array>()
let older = new Map<string, Int32Array>()

function keepRun(run: string, ids: Int32Array): Int32Array {
  if (younger.size >= maxRuns) {
    older = younger
    younger = new Map()
  }
  younger.set(run, ids)
  return ids
}

function findRun(run: string): Int32Array | undefined {
  const ids = younger.get(run)
  if (ids) return ids
  const aged = older.get(run)
  return aged && keepRun(run, aged)
}

/** A growing list of term ids. */
export class TermIds {
  #ids = new Int32Array(1_024)
  length = 0

  add(id: number) {
    if (this.length === this.#ids.length) this.#grow(1)
    this.#ids[this.length++] = id
  }

  addAll(ids: Int32Array) {
    if (this.length + ids.length > this.#ids.length) this.#grow(ids.length)
    this.#ids.set(ids, this.length)
    this.length += ids.length
  }

  toArray = () => this.#ids.slice(0, this.length)

  #grow(by: number) {
    const ids = new Int32Array(2 * this.#ids.length + by)
    ids.set(this.#ids)
    this.#ids = ids
  }
}

/**
 * Adds the ids of all terms of a text, in any order: `extractTerms` and `termId` without a string per term.
 * Returns their number.
 */
export function addTermIds(text: string, ids: TermIds): number {
  const before = ids.length
  const unknown: string[] = []
  visitTerms(
    text,
    (term) => ids.add(termId(term)),
    (run) => {
      const known = findRun(run)
      if (known) ids.addAll(known)
      else unknown.push(run)
    },
  )
  if (unknown.length > 0) addRuns(unknown, ids)
  return ids.length - before
}

const separator = '\n'

/** Segments all runs at once, since each call of the segmenter has a fixed cost. */
function addRuns(runs: readonly string[], ids: TermIds) {
  const words = segmenter.segment(runs.join(separator))[Symbol.iterator]()
  for (const run of runs) {
    const own: number[] = []
    addCharacters(run, own)
    for (let at = 0; at < run.length; ) {
      const { segment } = words.next().value!
      if (segment.length > 1) own.push(idOfRange(run, at, at + segment.length, wordStart))
      at += segment.length
    }
    words.next()
    ids.addAll(keepRun(run, new Int32Array(own)))
  }
}

const wordStart = addToHash(hashStart, wordPrefix.charCodeAt(0))

function addCharacters(run: string, ids: number[]) {
  let before = 0
  for (let at = 0; at < run.length; ) {
    const end = at + (run.codePointAt(at)! > 0xffff ? 2 : 1)
    ids.push(idOfRange(run, at, end))
    if (at > 0) ids.push(idOfRange(run, before, end))
    before = at
    at = end
  }
}

function idOfRange(text: string, from: number, to: number, start = hashStart): number {
  let hash = start
  for (let at = from; at < to; at++) hash = addToHash(hash, text.charCodeAt(at))
  return finishHash(hash) | 0
}
