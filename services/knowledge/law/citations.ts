import { arabic } from '../../_kit/tokenize.ts'
import { numeral } from './numerals.ts'

export interface Citation {
  law: string
  article: string
  /** Paragraph (款); null if the citation names none. */
  paragraph: number | null
  /** Item (项); null if the citation names none. */
  item: number | null
  /** Year of the edition that the citation names: 2017 for （2017年修正）. */
  editionYear: number | null
  start: number
  end: number
}

const article = `第${numeral}条(?:之${numeral})?`
const subdivision = `(?:第(?<paragraph>${numeral})款)?(?:第?[(（]?(?<item>${numeral})[)）]?项)?`
/** A number that is part of the name of an interpretation: （一）, （二）. */
const series = '(?<series>[(（][一二三四五六七八九十]{1,3}[)）])?'
const nameText = '[^《》\\n]{2,80}(?:《[^《》\\n]{2,40}》[^《》\\n]{0,60}){0,2}'
const lawName = `《(?<quoted>${nameText})》${series}(?:[(（][^()（）\\n]{0,40}[)）])?`
const bareName = `(?<bare>[\\p{Script=Han}]{1,24}?(?:法典|法|条例|规定|解释|办法|细则))(?<bareSeries>[(（][一二三四五六七八九十]{1,3}[)）])?`

/** Matches 《民法典》第六百七十五条第二款; `next` matches further articles of that law: 、第六百七十六条. */
const han = new RegExp(
  `(?:${lawName}|${bareName})\\s{0,3}(?<article>${article})${subdivision}`,
  'gu',
)
const next = new RegExp(
  `\\s{0,3}(?:、|，|,|和|及|以及|与|或者|或)\\s{0,3}(?<article>${article})${subdivision}`,
  'uy',
)

const name = `(?:[A-Z][\\w'’-]{0,40})(?:\\s{1,3}(?:of|on|the|and|for|[A-Z][\\w'’-]{0,40})){0,11}`
const number = `(?<article>\\d{1,5}(?:-\\d{1,3})?)`
const latinBelow = `(?:\\s{0,3}\\((?<paragraph>\\d{1,3})\\))?`
const after = new RegExp(
  `(?:\\bArt(?:icle)?s?\\.?|§)\\s{0,3}${number}${latinBelow}\\s{1,3}(?:of|in)\\s{1,3}(?:the\\s{1,3})?(?<law>${name})`,
  'gu',
)
const before = new RegExp(
  `(?<law>(?:${name}\\s{1,3})?(?:Law|Code|Act|Regulations?|Rules))\\s{0,3},?\\s{1,3}(?:Art(?:icle)?\\.?|§)\\s{0,3}${number}${latinBelow}`,
  'gu',
)

const twoLaws = /^(.*?\b(?:Law|Code|Act|Regulations?|Rules))\s+and\s+(?:the\s+)?(.*)$/

/** Finds all citations of articles of named laws in a text, in order and without overlaps. */
export function citationsIn(text: string): Citation[] {
  let end = 0
  return [...hanCitations(text), ...latinCitations(text)]
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter((each) => {
      if (each.start < end) return false
      end = each.end
      return true
    })
}

function* hanCitations(text: string): Generator<Citation> {
  for (const match of text.matchAll(han)) {
    const { quoted, series = '', bare, bareSeries = '' } = match.groups!
    const name =
      quoted ?? bare!.replace(/^.*?(?:根据|依据|依照|按照|违反|适用|参照|和|及|与|即)(?=..)/, '')
    const law = name + series + bareSeries
    const start = match.index + (quoted ? 0 : bare!.length - name.length)
    const editionYear = editionYearIn(match[0])
    let end = match.index + match[0].length
    yield { ...buildCitation(law, match.groups!, start, end), editionYear }
    const following = () => {
      next.lastIndex = end
      return next.exec(text)
    }
    for (let more = following(); more; more = following()) {
      const from = end + more[0].indexOf('第')
      end += more[0].length
      yield { ...buildCitation(law, more.groups!, from, end), editionYear }
    }
  }
}

function* latinCitations(text: string): Generator<Citation> {
  for (const match of text.matchAll(after)) {
    // If two laws are joined by "and", the article belongs to the first.
    const law = match.groups!.law!.replace(twoLaws, '$1').trim()
    const cut = match.groups!.law!.trim().length - law.length
    yield buildCitation(
      law,
      match.groups!,
      match.index,
      match.index + match[0].trimEnd().length - cut,
    )
  }
  for (const match of text.matchAll(before)) {
    const law = match.groups!.law!.replace(twoLaws, (_, first, second) => second || first)
    const start = match.index + match.groups!.law!.length - law.length
    yield buildCitation(law.trim(), match.groups!, start, match.index + match[0].length)
  }
}

/** Returns the year of the edition that a citation names, or null. */
function editionYearIn(text: string): number | null {
  const found = /[(（](\d{4})年?(?:修正|修订|修改)?本?[)）]/.exec(text)
  return found ? Number(found[1]) : null
}

function buildCitation(
  law: string,
  { article, paragraph, item }: Record<string, string | undefined>,
  start: number,
  end: number,
): Citation {
  const parseNumber = (text: string | undefined) => (text === undefined ? null : arabic(text))
  return {
    law,
    article: article!,
    paragraph: parseNumber(paragraph),
    item: parseNumber(item),
    editionYear: null,
    start,
    end,
  }
}
