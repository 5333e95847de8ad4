import { numeral } from '../../_kit/chunk/numeral.ts'
import { buildCitation, type Citation, type Reading } from './citation.ts'

const separator = '(?:、|，|,|和|及|以及|与|或者|或|至|到|[-–—~～])'
const subdivision = `(?:第(?<paragraph>${numeral})款)?(?:第?[(（]?(?<item>${numeral})[)）]?项)?`
/** 第十条, 第十、十一条 or 第十至十二条 with what is below the last one. */
const articles = `第\\s?(?<first>${numeral})(?<more>(?:${separator}第?${numeral}){0,20})\\s?条(?:之(?<sub>${numeral}))?${subdivision}`
/** A number that is part of the name of an interpretation: （一）, （二）. */
const series = '(?<series>[(（][一二三四五六七八九十]{1,3}[)）])?'
const dated = '(?:[(（][^()（）\\n]{0,40}[)）])?'
/** The part of a law that is named before the article: 合同编, 第三章. */
const lawPart = `(?:\\p{Script=Han}{1,6}编|第${numeral}(?:分编|编|章|节)|总则|分则)?`

const nameText = '[^《》\\n]{2,80}(?:《[^《》\\n]{2,40}》[^《》\\n]{0,60}){0,2}'
const quotedName = `《(?<quoted>${nameText})》`
const suffix = '(?:法典|法|条例|规定|解释|办法|细则|批复)'
const issuer = '(?:最高人民法院|最高人民检察院|国务院)'
const officialText = '(?:\\p{Script=Han}|[、《》〈〉]){2,80}?'
/** A full title without quotation marks, which begins with the country, its issuer or 关于. */
const officialName = `(?<official>(?:中华人民共和国\\p{Script=Han}{1,30}?|(?:${issuer}(?:[、和]${issuer})?关于|关于(?:审理|适用|办理))${officialText})${suffix})`
const bareName = `(?<bare>\\p{Script=Han}{1,24}?${suffix})`

const named = new RegExp(
  `(?:${quotedName}|${officialName}|${bareName})${series}${dated}${lawPart}\\s{0,3}(?<list>${articles})`,
  'gu',
)
const next = new RegExp(`\\s{0,3}${separator}\\s{0,3}(?<list>${articles})`, 'uy')

/** Words before a name without quotation marks that are no part of it; some names contain them too. */
const lead =
  /根据|依据|依照|按照|违反|适用|参照|和|及|与|即|参见|引用|援引|符合|依|以|由|见|据|按/gu
const strongLead = /根据|依据|依照|按照|违反|适用|参照|和|及|与|即/u
const officialStart = /中华人民共和国|最高人民法院|最高人民检察院|国务院|关于(?:审理|适用|办理)/u
/** 本法, 该条例: the law that is named before. */
const relative =
  /^(?:法|条例|规定|解释|办法|细则)$|(?:(?<!基)本|该|此|(?<![合共相])同|上述|前述)(?:法|条例|规定|解释|办法|细则)$/u

/** Finds citations such as 《民法典》第六百七十五条 and further articles of that law: 、第六百七十六条. */
export function* hanCitations(original: string): Generator<Citation> {
  const text = original.replace(/[０-９]/g, (digit) => String(digit.charCodeAt(0) - 0xff10))
  let last: string | undefined
  for (const match of text.matchAll(named)) {
    let readings = readName(match)
    if (match.groups!.bare !== undefined && relative.test(readings[0]!.law)) {
      if (last === undefined) continue
      readings = [{ law: last, start: match.index }]
    }
    last = readings[0]!.law
    const editionYear = editionYearIn(match[0])
    for (const [index, { start, end, ...article }] of listArticles(text, match).entries()) {
      const own = index === 0 ? readings : readings.map(({ law }) => ({ law, start }))
      yield {
        ...buildCitation(own[0]!.law, article, own[0]!.start, end),
        editionYear,
        ...(own.length > 1 && { readings: own }),
      }
    }
  }
}

/** Readings of the name in a match, the most likely first. A name in quotation marks has one. */
function readName({ groups, index }: RegExpExecArray): Reading[] {
  const { quoted, official, bare, series = '' } = groups!
  const name = quoted ?? official
  if (name !== undefined) return [{ law: name + series, start: index }]
  const cut = (length: number) => ({ law: bare!.slice(length) + series, start: index + length })
  const start = officialStart.exec(bare!)?.index
  const leading = strongLead.exec(bare!)
  const cuts = [start ?? (leading ? leading.index + leading[0].length : 0), 0]
  for (const each of bare!.matchAll(lead)) cuts.push(each.index + each[0].length)
  return [...new Set(cuts)].filter((length) => length + 2 <= bare!.length).map(cut)
}

interface ListedArticle extends Record<'article' | 'paragraph' | 'item', string | undefined> {
  start: number
  end: number
}

/** Articles of a match and those that follow it, joined by 、 or 至. */
function listArticles(text: string, match: RegExpExecArray): ListedArticle[] {
  let end = match.index + match[0].length
  const found = expandList(match.groups!, end)
  const following = () => {
    next.lastIndex = end
    return next.exec(text)
  }
  for (let more = following(); more; more = following()) {
    end += more[0].length
    found.push(...expandList(more.groups!, end))
  }
  return found
}

const moreNumber = new RegExp(`${separator}(第?(${numeral}))`, 'gu')

/** Expands 第十、十一条之一第二款 into two articles. What is below an article belongs to the last one. */
function expandList(groups: Record<string, string>, end: number): ListedArticle[] {
  const { list, first, more, sub, paragraph, item } = groups as Record<string, string | undefined>
  const start = end - list!.length
  const firstEnd = list!.indexOf(first!) + first!.length
  const numbers = [{ number: first!, start, end: start + firstEnd }]
  for (const each of more!.matchAll(moreNumber)) {
    const at = start + firstEnd + each.index + each[0].length - each[1]!.length
    numbers.push({ number: each[2]!, start: at, end: at + each[1]!.length })
  }
  return numbers.map(({ number, ...position }, index) =>
    index < numbers.length - 1
      ? { article: `第${number}条`, paragraph: undefined, item: undefined, ...position }
      : {
          article: `第${number}条${sub === undefined ? '' : `之${sub}`}`,
          ...{ paragraph, item, start: position.start, end },
        },
  )
}

/** Returns the year of the edition that a citation names, or null. */
function editionYearIn(text: string): number | null {
  const found = /[(（](\d{4})年?(?:修正|修订|修改)?本?[)）]/.exec(text)
  return found ? Number(found[1]) : null
}
