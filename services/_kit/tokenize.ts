/**
 * Text as search terms, the same on every runtime. Latin words and numbers are kept as words, Han text
 * becomes characters and pairs of characters: no dictionary is needed, and no name is cut wrongly.
 * Case numbers and article numbers stay whole beside their parts.
 */
export function tokenize(text: string): string[] {
  const found: string[] = []
  const normal = text.normalize('NFKC').toLowerCase().replaceAll('’', "'")
  for (const [number] of normal.matchAll(caseNumber)) found.push(number.replace(/\s/, ''))
  for (const [, number] of normal.matchAll(article)) {
    const value = arabic(number!)
    if (value !== null) found.push(`第${value}条`)
  }
  for (const [run, hanRun, number] of normal.matchAll(runs)) {
    if (hanRun) addHan(hanRun, found)
    else found.push(number ? number.replaceAll(',', '') : stem(run))
  }
  return found
}

/** The terms of a question: pairs where there are any, since a single character is in half the texts. */
export function queryTokens(text: string): string[] {
  const all = tokenize(text)
  const pairs = all.filter((word) => !oneHan.test(word))
  return [...new Set(pairs.length > 0 ? pairs : all)]
}

const caseNumber = /\(\d{4}\)\s?[\p{Script=Han}\d]{2,20}?\d{1,10}号/gu
const article = /第([\d零〇一二三四五六七八九十百千]{1,12})条/g
const oneHan = /^\p{Script=Han}$/u
/** Han text, a number, or a word of any other script. */
const runs =
  /(\p{Script=Han}+)|((?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?)|[\p{L}--\p{Script=Han}][[\p{L}\p{M}\d']--\p{Script=Han}]*/gv

function addHan(run: string, found: string[]) {
  const characters = Array.from(run)
  characters.forEach((character, index) => {
    found.push(character)
    if (index > 0) found.push(characters[index - 1]! + character)
  })
}

/** Plural and possessive endings off, no more: what is cut further no longer reads as the same word. */
function stem(word: string): string {
  const bare = word.endsWith("'s") ? word.slice(0, -2) : word.replaceAll("'", '')
  if (bare.length < 4 || !bare.endsWith('s') || /(ss|us|is)$/.test(bare)) return bare
  if (bare.endsWith('ies') && bare.length > 4) return `${bare.slice(0, -3)}y`
  return /(ch|sh|x|ss)es$/.test(bare) ? bare.slice(0, -2) : bare.slice(0, -1)
}

const digits = '零一二三四五六七八九'
const units: Record<string, number> = { 十: 10, 百: 100, 千: 1000 }

/** 六百七十五 → 675; null for what is no number below ten thousand. */
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
