import { hash32 } from '../../../_kit/hash.ts'
import {
  addHan,
  arabic,
  normalizeText,
  type OnHan,
  visitNormalTokens,
} from '../../../_kit/tokenize.ts'
import { lawKey } from '../../law/numerals.ts'

export const segmenter = new Intl.Segmenter('zh', { granularity: 'word' })
export const han = /^\p{Script=Han}+$/u
const subArticle =
  /第([\d零〇一二三四五六七八九十百千]{1,12})条之([\d零〇一二三四五六七八九十百千]{1,6})/g
const latinArticle = /(?:\bart(?:icle)?s?\b\.?|§)\s*(\d{1,5})/gi

/** True if `latinArticle` may match: a search for a word is faster than the pattern. */
const hasLatinArticle = (normal: string) => normal.includes('art') || normal.includes('§')

const citedLaw = /《([^《》\n]{2,60})》/g

/** Term of a text that cites a law by name. */
export const citationTerm = (law: string) => `《${lawKey(law)}》`

/**
 * Splits a text into index terms: Han characters, bigrams and words, words of other scripts, numbers,
 * and whole case and article numbers. An article has the same term in every notation.
 */
export function extractTerms(text: string): string[] {
  const found: string[] = []
  visitTerms(
    text,
    (term) => found.push(term),
    (source, from, to) => {
      const run = source.slice(from, to)
      addHan(run, found)
      for (const { segment } of segmenter.segment(run)) {
        if (segment.length > 1) found.push(wordPrefix + segment)
      }
    },
  )
  return found
}

/** Distinguishes a word of two characters from a bigram. */
export const wordPrefix = '='

/** Visits the terms of a text; runs of Han text are visited whole. */
export function visitTerms(text: string, onTerm: (term: string) => void, onHan: OnHan) {
  const normal = normalizeText(text)
  visitNormalTokens(normal, onTerm, onHan)
  for (const [, number] of hasLatinArticle(normal) ? normal.matchAll(latinArticle) : []) {
    onTerm(`第${Number(number)}条`)
  }
  for (const [, number, sub] of normal.includes('条之') ? normal.matchAll(subArticle) : []) {
    onTerm(`第${arabic(number!)}条之${arabic(sub!)}`)
  }
  for (const [, law] of normal.includes('《') ? normal.matchAll(citedLaw) : []) {
    onTerm(citationTerm(law!))
  }
}

/** Splits a text into words, without characters and bigrams. */
export const segmentWords = (text: string): string[] =>
  extractTerms(text).flatMap((term) =>
    term.startsWith('=') ? [term.slice(1)] : /^\p{Script=Latin}/u.test(term) ? [term] : [],
  )

/** Identifier of a term in the index: a signed 32-bit hash. */
export const termId = (term: string) => hash32(term) | 0
