import { numeral } from '../../_kit/chunk/numeral.ts'
import { arabic } from '../../_kit/tokenize.ts'

const articleText = new RegExp(
  `^第\\s?(${numeral})\\s?条(?:之(${numeral}))?|^(?:art(?:icle)?\\.?|§|section|sec\\.)\\s*(\\d{1,5})(?:-(\\d{1,3}))?\\b|^(\\d{1,5})(?:-(\\d{1,3}))?$`,
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

/**
 * Normalizes the name of a law for lookup: removes 《》, the country and a year in parentheses.
 * The year of an amendment of its own (修正案) stays: it is no edition of another one.
 */
export const lawKey = (name: string) =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[《》〈〉"“”\s]+/g, ' ')
    .replace(/(?<!修正案)\(\d{4}年?(?:修正|修订|修改)?(?:本)?\)/g, '')
    .replace(/^\s*the\s+/, '')
    .replace(/\s+of the (people's republic of china|prc)\s*$/, '')
    .replace(/^(\s*)中华人民共和国(?=.)/, '')
    .trim()

/** Leading words of a judicial interpretation that citations leave out. */
const issuer = /^(?:最高人民法院)?(?:[、和]?最高人民检察院)?关于/

/**
 * All keys under which a law may be stored or cited. The second one has no country in the names within
 * the title and no issuer: 最高人民法院关于适用《中华人民共和国民法典》…解释 → 适用民法典…解释.
 */
export function lawKeys(name: string): string[] {
  const key = lawKey(name)
  const short = key.replaceAll('中华人民共和国', '').replaceAll(' ', '').replace(issuer, '')
  return short === '' || short === key || /^[\x20-\x7e]+$/.test(key) ? [key] : [key, short]
}

/** The shortest key of a law: the same with and without its issuer and the country in names within the title. */
export const shortLawKey = (name: string) => lawKeys(name).at(-1)!
