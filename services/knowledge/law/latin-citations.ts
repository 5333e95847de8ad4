import { buildCitation, type Citation } from './citation.ts'

const name = `(?:[A-Z][\\w'’-]{0,40})(?:\\s{1,3}(?:of|on|the|and|for|[A-Z][\\w'’-]{0,40})){0,11}`
const number = '\\d{1,5}(?:-\\d{1,3})?'
const below = `(?:\\s{0,3}\\((?<paragraph>\\d{1,3})\\))?`
const more = `(?<more>(?:\\s{0,3}(?:,|and|to|–|—)\\s{0,3}${number}){0,20})`
/** Article 12 of the Civil Code, Articles 12 and 13 of the Civil Code. */
const after = new RegExp(
  `(?:\\bArt(?:icle)?s?\\.?|§§?)\\s{0,3}(?<article>${number})${below}${more}\\s{1,3}(?:of|in)\\s{1,3}(?:the\\s{1,3})?(?<law>${name})`,
  'gu',
)
/** Civil Code, Article 12. */
const before = new RegExp(
  `(?<law>(?:${name}\\s{1,3})?(?:Law|Code|Act|Regulations?|Rules))\\s{0,3},?\\s{1,3}(?:Art(?:icle)?\\.?|§)\\s{0,3}(?<article>${number})${below}`,
  'gu',
)
const twoLaws = /^(.*?\b(?:Law|Code|Act|Regulations?|Rules))\s+and\s+(?:the\s+)?(.*)$/

/** Finds citations in English. */
export function* latinCitations(text: string): Generator<Citation> {
  for (const match of text.matchAll(after)) {
    // If two laws are joined by "and", the article belongs to the first.
    const law = match.groups!.law!.replace(twoLaws, '$1').trim()
    const cut = match.groups!.law!.trim().length - law.length
    const end = match.index + match[0].trimEnd().length - cut
    const { article, paragraph, more } = match.groups!
    const others = [...more!.matchAll(new RegExp(number, 'gu'))]
    if (others.length === 0) {
      yield buildCitation(law, { article, paragraph, item: undefined }, match.index, end)
      continue
    }
    const firstEnd = match.index + match[0].indexOf(more!)
    yield buildCitation(law, { article, paragraph, item: undefined }, match.index, firstEnd)
    for (const [index, other] of others.entries()) {
      const start = firstEnd + other.index
      const last = index === others.length - 1 ? end : start + other[0].length
      const named = { article: other[0], paragraph: undefined, item: undefined }
      yield buildCitation(law, named, start, last)
    }
  }
  for (const match of text.matchAll(before)) {
    const { article, paragraph } = match.groups!
    const law = match.groups!.law!.replace(twoLaws, (_, first, second) => second || first)
    const start = match.index + match.groups!.law!.length - law.length
    const named = { article, paragraph, item: undefined }
    yield buildCitation(law.trim(), named, start, match.index + match[0].length)
  }
}
