import { numeral } from '../../../services/_kit/chunk/numeral.ts'
import { shortNames } from './names.ts'

/** An article that a text names, and the words that it quotes from it. */
export interface Cited {
  where: string
  /** Candidates: the law that is named, or all laws that the text may mean. */
  laws: string[]
  article: string | null
  quote?: string
  /** Figures of the statement that rests on the article. */
  figures?: string[]
  /** Whether the law is cited for what happened before another replaced it. */
  former?: boolean
}

const articleNumber = `第${numeral}条(?:之${numeral})?`
const below = `(?:第${numeral}款)?(?:第?[(（]?${numeral}[)）]?项)?`
const listed = `${articleNumber}${below}(?:(?:、|和|及|以及|与|或者|或|至|到)${articleNumber}${below})*`
const numbered = '[(（][一二三四五六七八九]{1,2}[)）]'
const quoted = `《(?<quoted>[^《》\\n]{2,80}(?:《[^《》\\n]{2,40}》[^《》\\n]{0,60}){0,2})》`
const bare = `(?<bare>[\\p{Script=Han}]{1,24}?(?:法典|法|条例|规定|解释|办法|细则|批复))`
const dated = '(?:[(（][^()（）\\n]{2,40}[)）])?'
const quotePattern = `(?:规定)?[：:，,]?[“「](?<quote>[^”」\\n]{6,200})[”」]`

const named = new RegExp(
  `(?:${quoted}|${bare})(?<number>${numbered})?${dated}(?<articles>${listed})?(?:${quotePattern})?`,
  'gu',
)
const lead = /^.*?(?:根据|依据|依照|按照|违反|适用|参照|引用|见|和|及|与|即|以|依|由|是|除)(?=..)/u
/** 本解释, 该条例: the law is the one that the text is of. */
const relative =
  /(?:^|本|该|前述|上述|同)(?:法|条例|规定|解释|办法|细则|司法解释|行政法规|地方性法规)$/u
/** A name in quotation marks that is the title of a law and not of a form or a book. */
const titled = /^\p{Script=Han}.*(?:法典|法|条例|规定|解释|办法|细则|批复|决定)(?:（.+）)?$/u
const han = new RegExp(articleNumber, 'gu')
const latin = /\b[Aa]rticles? (\d{1,4})(?:\(\d\))?(?:(?:,| and| to) (\d{1,4}))?/gu

/**
 * Finds the articles that running text names, in Markdown and in the strings of seeds. An
 * article without a law belongs to the law named before it, else to one of `context`.
 */
export function citedIn(text: string, where: string, context: string[]): Cited[] {
  const found: Cited[] = []
  let last: string | undefined
  let end = 0
  const loose = (from: number, to: number) => {
    const laws = last ? [last, ...context] : context
    for (const [article] of text.slice(from, to).matchAll(han)) found.push({ where, laws, article })
  }
  for (const match of text.matchAll(named)) {
    const { quoted, bare, number = '', articles, quote } = match.groups!
    if (!articles && !titled.test(quoted ?? '')) continue
    const name = quoted ?? withoutLead(bare!)
    if (!quoted && relative.test(name) && !number) continue
    loose(end, match.index)
    end = match.index + match[0].length
    const law = shortNames[name + number] ?? name + number
    last = law
    const each = articles?.match(han) ?? []
    if (each.length === 0) found.push({ where, laws: [law], article: null })
    for (const [index, article] of each.entries()) {
      const quotes = quote && index === each.length - 1 ? { quote } : {}
      found.push({ where, laws: [law], article, ...quotes })
    }
  }
  loose(end, text.length)
  for (const [, ...numbers] of text.matchAll(latin)) {
    for (const value of numbers.filter(Boolean)) {
      found.push({ where, laws: context, article: `第${chinese(Number(value))}条` })
    }
  }
  return found
}

function withoutLead(name: string): string {
  let rest = name
  for (let cut = rest.replace(lead, ''); cut !== rest; cut = rest.replace(lead, '')) rest = cut
  return rest
}

const digits = '零一二三四五六七八九'

/** 675 → 六百七十五, as articles are numbered. */
export function chinese(value: number): string {
  let text = ''
  let gap = false
  for (const [size, unit] of [
    [1000, '千'],
    [100, '百'],
    [10, '十'],
    [1, ''],
  ] as const) {
    const digit = Math.floor(value / size) % 10
    if (digit === 0) {
      gap = text !== ''
      continue
    }
    const plainTen = digit === 1 && size === 10 && text === ''
    text += `${gap ? '零' : ''}${plainTen ? '' : digits[digit]}${unit}`
    gap = false
  }
  return text
}
