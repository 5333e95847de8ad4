import { arabic } from '../../_kit/tokenize.ts'

export const numeral = '[\\d零〇一二三四五六七八九十百千]{1,12}'

const articleText = new RegExp(
  `^第(${numeral})条(?:之(${numeral}))?|^(?:art(?:icle)?\\.?|§|section|sec\\.)\\s*(\\d{1,5})(?:-(\\d{1,3}))?\\b|^(\\d{1,5})(?:-(\\d{1,3}))?$`,
  'i',
)

/** Returns the key of the article that a text begins with, or null: 第六百七十五条之一 → 675-1. */
export function articleKey(text: string): string | null {
  const found = articleText.exec(text.normalize('NFKC').trim())
  if (!found) return null
  const [, han, hanSub, latin, latinSub, bare, bareSub] = found
  const number = arabic((han ?? latin ?? bare)!)
  if (number === null) return null
  const sub = hanSub ?? latinSub ?? bareSub
  const after = sub === undefined ? null : arabic(sub)
  return after === null ? String(number) : `${number}-${after}`
}

/** Normalizes the name of a law for lookup: removes 《》, the country and a year in parentheses. */
export const lawKey = (name: string) =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[《》〈〉"“”\s]+/g, ' ')
    .replace(/\(\d{4}年?(?:修正|修订|修改)?(?:本)?\)/g, '')
    .replace(/^\s*the\s+/, '')
    .replace(/\s+of the (people's republic of china|prc)\s*$/, '')
    .replace(/^(\s*)中华人民共和国(?=.)/, '')
    .trim()
