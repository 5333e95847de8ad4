import { queryTokens } from '../../../_kit/tokenize.ts'
import { splitSentences } from './clauses.ts'

/** Characters of a quote. A longer passage is cut, so that it still occurs in the source. */
const maxQuoteChars = 200

/** True if a quote occurs in the source to the letter. */
export const occursIn = (quote: string, source: string): boolean =>
  quote.trim().length >= 2 && source.includes(quote.trim())

/** The sentence of a text that shares most words with a topic; undefined if none shares any. */
export function bestSentence(text: string, topic: string, prefer?: RegExp): string | undefined {
  const words = queryTokens(topic)
  const scored = splitSentences(text).map((sentence) => {
    const own = new Set(queryTokens(sentence))
    const shared = words.filter((word) => own.has(word)).length
    return { sentence, score: shared + (prefer?.test(sentence) ? 5 : 0) }
  })
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a), { sentence: '', score: 0 })
  return best.score > 0 ? best.sentence.slice(0, maxQuoteChars).trim() : undefined
}

/** Page of a passage, from 1. Pages are separated by form feeds. */
export const pageOf = (text: string, quote: string): number =>
  text.slice(0, Math.max(0, text.indexOf(quote))).split('\f').length
