import { hash32 } from '../../../_kit/hash.ts'
import { arabic, tokenize } from '../../../_kit/tokenize.ts'
import { lawKey } from '../../law/numerals.ts'

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' })
export const han = /^\p{Script=Han}+$/u
const subArticle =
  /第([\d零〇一二三四五六七八九十百千]{1,12})条之([\d零〇一二三四五六七八九十百千]{1,6})/g
const latinArticle = /(?:\bart(?:icle)?s?\b\.?|§)\s*(\d{1,5})/gi

const citedLaw = /《([^《》\n]{2,60})》/g

/** Term of a text that cites a law by name. */
export const citationTerm = (law: string) => `《${lawKey(law)}》`

/**
 * Splits a text into index terms: Han characters, bigrams and words, words of other scripts, numbers,
 * and whole case and article numbers. An article has the same term in every notation.
 */
export function extractTerms(text: string): string[] {
  const found = tokenize(text)
  const normal = text.normalize('NFKC').toLowerCase()
  for (const [, number] of normal.matchAll(latinArticle)) found.push(`第${Number(number)}条`)
  for (const [, number, sub] of normal.matchAll(subArticle)) {
    found.push(`第${arabic(number!)}条之${arabic(sub!)}`)
  }
  for (const [, law] of normal.matchAll(citedLaw)) found.push(citationTerm(law!))
  for (const { segment, isWordLike } of segmenter.segment(normal)) {
    // The prefix distinguishes a word of two characters from a bigram.
    if (isWordLike && segment.length > 1 && han.test(segment)) found.push(`=${segment}`)
  }
  return found
}

/** Splits a text into words, without characters and bigrams. */
export const segmentWords = (text: string): string[] =>
  extractTerms(text).flatMap((term) =>
    term.startsWith('=') ? [term.slice(1)] : /^\p{Script=Latin}/u.test(term) ? [term] : [],
  )

/** Identifier of a term in the index: a signed 32-bit hash. */
export const termId = (term: string) => hash32(term) | 0
