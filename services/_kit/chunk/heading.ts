import { numeral } from './numeral.ts'

export interface Heading {
  level: number
  label: string
  /** True if the line is also content: an article's text begins in it, a chapter's does not. */
  isText: boolean
}

const hanLevels: Record<string, number> = { 编: 1, 分编: 2, 章: 3, 节: 4, 条: 5 }
const latinLevels: Record<string, number> = {
  part: 1,
  book: 1,
  title: 1,
  chapter: 3,
  section: 4,
  article: 5,
}

const han = new RegExp(`^第${numeral}(分编|编|章|节|条)(?:之${numeral})?(?=[\\s:：、.．【〔(（]|$)`)
const latin =
  /^(part|book|title|chapter|section|article|art\.)\s+(\d+(?:\.\d+)*|[ivxlc]+)(?=[\s:.,—–-]|$)/i
const markdown = /^(#{1,6})\s+(\S.*)$/
const clause = /^([一二三四五六七八九十]{1,3})、(?=\S)/

/** A heading is short and does not end like a sentence. */
const isName = (line: string) => line.length <= 60 && !/[。；;!?！？]$/.test(line)

/** Heading of a line, or null for plain text. */
export function parseHeading(input: string): Heading | null {
  const line = input.trim()
  const hanMatch = han.exec(line)
  if (hanMatch) {
    const isText = hanMatch[1] === '条'
    return isText || isName(line)
      ? { level: hanLevels[hanMatch[1]!]!, label: hanMatch[0], isText }
      : null
  }
  const latinMatch = latin.exec(line)
  if (latinMatch) {
    const word = latinMatch[1]!.toLowerCase().replace('art.', 'article')
    // Section 1.2 is part of Article 1; Section 2 contains articles.
    const level = word === 'section' && latinMatch[2]!.includes('.') ? 6 : latinLevels[word]!
    const isText = level >= 5
    return isText || isName(line) ? { level, label: latinMatch[0], isText } : null
  }
  const markdownMatch = markdown.exec(line)
  if (markdownMatch)
    return { level: markdownMatch[1]!.length, label: markdownMatch[2]!.slice(0, 60), isText: false }
  const clauseMatch = clause.exec(line)
  return clauseMatch && isName(line) ? { level: 4, label: clauseMatch[1]!, isText: false } : null
}
