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

/** Ids of all terms of a text, in any order: `extractTerms` and `termId` without a string per term. */
export function extractTermIds(text: string): Int32Array {
  const others: number[] = []
  const known: Int32Array[] = []
  const unknown: string[] = []
  visitTerms(
    text,
    (term) => others.push(termId(term)),
    (run) => {
      const ids = findRun(run)
      if (ids) known.push(ids)
      else unknown.push(run)
    },
  )
  known.push(...computeRuns(unknown))
  const size = known.reduce((sum, { length }) => sum + length, others.length)
  const all = new Int32Array(size)
  all.set(others)
  let at = others.length
  for (const ids of known) {
    all.set(ids, at)
    at += ids.length
  }
  return all
}

const separator = '\n'

/** Segments all runs at once, since each call of the segmenter has a fixed cost. */
function computeRuns(runs: readonly string[]): Int32Array[] {
  if (runs.length === 0) return []
  const words = segmenter.segment(runs.join(separator))[Symbol.iterator]()
  return runs.map((run) => {
    const ids: number[] = []
    addCharacters(run, ids)
    for (let at = 0; at < run.length; ) {
      const { segment } = words.next().value!
      if (segment.length > 1) ids.push(idOfRange(run, at, at + segment.length, wordStart))
      at += segment.length
    }
    words.next()
    return keepRun(run, Int32Array.from(ids))
  })
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
