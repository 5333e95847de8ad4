import type { Article } from '../../../services/ai-engine/calculators/calculator.ts'
import { cite, citeFormer, formerTitles } from '../../../services/ai-engine/calculators/laws.ts'
import { type Cited, citedIn } from './cited.ts'

const citeStart = /\bcite(Former)?\(\s*'(\w+)'/g
const articleLiteral = /'(第[^']+条[^']*)'/g
const citationObject =
  /\blaw:\s*(['"`])([^'"`\n]+)\1,\s*article:\s*(['"`])(第[^'"`\n]+?条(?:之[^'"`\n]+)?)\3/g

/**
 * Citations of source code: calls of `cite` and `citeFormer`, objects with law and article, and those in words. A number of an
 * article outside of them belongs to a law that the same file cites by it.
 */
export function citedInCode(code: string, where: string): Cited[] {
  const found: Cited[] = []
  let rest = code
  const take = (start: number, end: number) => {
    rest = rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end)
  }
  for (const match of code.matchAll(citeStart)) {
    const end = closingParenthesis(code, match.index + match[0].indexOf('('))
    const articles = [...code.slice(match.index, end).matchAll(articleLiteral)]
    const former = match[1] !== undefined
    const build = (former ? citeFormer : cite) as (law: string, ...articles: string[]) => Article[]
    for (const { law, article } of build(match[2]!, ...articles.map(([, article]) => article!))) {
      found.push({ where, laws: [law], article, ...(former && { former }) })
    }
    take(match.index, end)
  }
  for (const match of code.matchAll(citationObject)) {
    found.push({ where, laws: [match[2]!], article: match[4]! })
    take(match.index, match.index + match[0].length)
  }
  // The titles of former laws are declared, not cited.
  for (const title of Object.values(formerTitles)) rest = rest.replaceAll(title, '')
  const loose = citedIn(rest, where, []).map((each): Cited => {
    if (each.laws.length > 0) return each
    const same = found.filter(({ article }) => article === each.article)
    return { ...each, laws: [...new Set(same.flatMap(({ laws }) => laws))] }
  })
  return [...found, ...loose]
}

/** Position after the parenthesis that closes the one at a position. */
function closingParenthesis(code: string, open: number): number {
  let depth = 0
  for (let at = open; at < code.length; at++) {
    if (code[at] === '(') depth++
    else if (code[at] === ')' && --depth === 0) return at + 1
  }
  return code.length
}
