import { hash32 } from '../../_kit/hash.ts'
import { arabic, tokenize } from '../../_kit/tokenize.ts'
import { lawKey } from '../law/numerals.ts'

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' })
const han = /^\p{Script=Han}+$/u
const subArticle =
  /第([\d零〇一二三四五六七八九十百千]{1,12})条之([\d零〇一二三四五六七八九十百千]{1,6})/g
const latinArticle = /(?:\bart(?:icle)?s?\b\.?|§)\s*(\d{1,5})/gi

const citedLaw = /《([^《》\n]{2,60})》/g

/** What a text that cites a law by its name has for a term. */
export const citedTerm = (law: string) => `《${lawKey(law)}》`

/**
 * A text as terms: single characters, pairs and words of Han text, words of any other script, numbers,
 * case numbers and article numbers whole. An article has one term however it is written.
 */
export function termsOf(text: string): string[] {
  const found = tokenize(text)
  const normal = text.normalize('NFKC').toLowerCase()
  for (const [, number] of normal.matchAll(latinArticle)) found.push(`第${Number(number)}条`)
  for (const [, number, sub] of normal.matchAll(subArticle)) {
    found.push(`第${arabic(number!)}条之${arabic(sub!)}`)
  }
  for (const [, law] of normal.matchAll(citedLaw)) found.push(citedTerm(law!))
  for (const { segment, isWordLike } of segmenter.segment(normal)) {
    // A mark sets the word apart from a pair of the same two characters.
    if (isWordLike && segment.length > 1 && han.test(segment)) found.push(`=${segment}`)
  }
  return found
}

/** The words of a text, without their parts. */
export const wordsIn = (text: string): string[] =>
  termsOf(text).flatMap((term) =>
    term.startsWith('=') ? [term.slice(1)] : /^\p{Script=Latin}/u.test(term) ? [term] : [],
  )

const wordTerm = (word: string) => (word.length > 1 && han.test(word) ? `=${word}` : word)

/** How much a kind of term tells: one character little, a number that was kept whole a lot. */
const weights = { character: 0.9, pair: 1, word: 0.5, plain: 1, number: 2 }

export function weightOf(term: string): number {
  if (term.startsWith('=')) return weights.word
  if (/^第.*条|^\(/.test(term)) return weights.number
  if (!han.test(term)) return weights.plain
  return term.length === 1 ? weights.character : weights.pair
}

/** A term as the index knows it. */
export const idOf = (term: string) => hash32(term) | 0

/** More terms of a question than these are a document's. */
const mostTerms = 256

export interface WeightedTerm {
  id: number
  weight: number
}

/** Another word for what a question says. */
export interface Expansion {
  target: string
  weight: number
}

/**
 * The terms of a question, each once, with those of other words for the same: of names for what it
 * says, where it does not say them itself, and of words that statutes say for its own, on top of these.
 */
export function questionTerms(
  query: string,
  names: readonly Expansion[] = [],
  statuteWords: readonly Expansion[] = [],
): WeightedTerm[] {
  const found = new Map<number, number>()
  for (const term of termsOf(query)) {
    // Who asks by a law's name does not ask for what cites it.
    if (!term.startsWith('《')) found.set(idOf(term), weightOf(term))
  }
  for (const { target, weight } of names) {
    for (const term of termsOf(target)) {
      const id = idOf(term)
      if (!found.has(id)) found.set(id, weight * weightOf(term))
    }
  }
  for (const { target, weight } of statuteWords) {
    const id = idOf(wordTerm(target))
    found.set(id, (found.get(id) ?? 0) + weight)
  }
  return Array.from(found, ([id, weight]) => ({ id, weight }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, mostTerms)
}
