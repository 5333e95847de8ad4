import { visitRuns } from './runs.ts'

/**
 * Splits a text into search tokens, identically on every runtime. Words and numbers stay whole. Han
 * text becomes unigrams and bigrams: this needs no dictionary and never splits a name wrongly. Case
 * numbers and article numbers are added as whole tokens.
 */
export function tokenize(text: string): string[] {
  const tokens: string[] = []
  visitNormalTokens(
    normalizeText(text),
    (token) => tokens.push(token),
    (source, from, to) => addHan(source.slice(from, to), tokens),
  )
  return tokens
}

/** Normalizes a text for tokens and terms. */
export const normalizeText = (text: string) => text.normalize('NFKC').toLowerCase()

/** Receives a run of Han text: a range of `text`. */
export type OnHan = (text: string, from: number, to: number) => void

/** Visits the tokens of a normalized text; runs of Han text are visited whole. */
export function visitNormalTokens(text: string, onToken: (token: string) => void, onHan: OnHan) {
  const normal = text.replaceAll('’', "'")
  // A search for one character is faster than a pattern that few texts match.
  if (normal.includes('号')) {
    for (const [number] of normal.matchAll(caseNumber)) onToken(number.replace(/\s/, ''))
  }
  for (const [, number] of normal.includes('条') ? normal.matchAll(article) : []) {
    const value = arabic(number!)
    if (value !== null) onToken(`第${value}条`)
  }
  visitRuns(normal, onHan, (run, number) =>
    onToken(number ? number.replaceAll(',', '') : stem(run)),
  )
}

/** Tokens of a query without Han unigrams, which match too many texts. A query of unigrams keeps them. */
export function queryTokens(text: string): string[] {
  const all = tokenize(text)
  const pairs = all.filter((word) => !oneHan.test(word))
  return [...new Set(pairs.length > 0 ? pairs : all)]
}

const caseNumber = /\(\d{4}\)\s?[\p{Script=Han}\d]{2,20}?\d{1,10}号/gu
const article = /第([\d零〇一二三四五六七八九十百千]{1,12})条/g
const oneHan = /^\p{Script=Han}$/u

/** Adds the characters and bigrams of Han text. */
export function addHan(run: string, tokens: string[]) {
  const characters = Array.from(run)
  characters.forEach((character, index) => {
    tokens.push(character)
    if (index > 0) tokens.push(characters[index - 1]! + character)
  })
}

/** Strips plural and possessive endings only. */
function stem(word: string): string {
  const bare = word.endsWith("'s") ? word.slice(0, -2) : word.replaceAll("'", '')
  if (bare.length < 4 || !bare.endsWith('s') || /(ss|us|is)$/.test(bare)) return bare
  if (bare.endsWith('ies') && bare.length > 4) return `${bare.slice(0, -3)}y`
  return /(ch|sh|x|ss)es$/.test(bare) ? bare.slice(0, -2) : bare.slice(0, -1)
}

const digits = '零一二三四五六七八九'
const units: Record<string, number> = { 十: 10, 百: 100, 千: 1000 }

/** Parses a Chinese or Arabic numeral below 10,000 (六百七十五 → 675); null if it is none. */
export function arabic(text: string): number | null {
  if (/^\d+$/.test(text)) return Number(text)
  let total = 0
  let digit = 0
  for (const character of text.replaceAll('〇', '零')) {
    const unit = units[character]
    const value = digits.indexOf(character)
    if (unit !== undefined) {
      total += (digit || 1) * unit
      digit = 0
    } else if (value >= 0) {
      digit = digit * 10 + value
    } else return null
  }
  return total + digit
}
