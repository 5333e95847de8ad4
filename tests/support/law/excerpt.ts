import type { Cited } from './cited.ts'
import { type Edition, inForceOn, type Laws, titleKey } from './editions.ts'

const withoutSpace = (text: string) => text.replace(/\s+/g, '')

/** Lines of the articles that hold the quotes; a whole article where a quote runs over lines. */
function linesFor(texts: string[], quotes: string[]): string[] {
  return texts.flatMap((text) => {
    const lines = text.split('\n')
    const holding = (quote: string) =>
      lines.filter((line) => withoutSpace(line).includes(withoutSpace(quote)))
    const here = quotes.filter((quote) => withoutSpace(text).includes(withoutSpace(quote)))
    if (here.some((quote) => holding(quote).length === 0)) return [text]
    return lines.filter((line) => here.some((quote) => holding(quote).includes(line)))
  })
}

/**
 * The part of the database that citations need: all editions of the laws they name, and of the
 * edition in force the articles they name, with the lines they quote.
 */
export function excerptFor(cited: Cited[], titles: string[], database: Laws, day: string): string {
  const quotes = new Map<Edition, Map<string, string[]>>()
  const keys = new Set(titles.map(titleKey))
  for (const { laws, article, quote } of cited) {
    const editions = laws.flatMap((law) => inForceOn(database, law, day) ?? [])
    const edition = editions.find(({ articles }) => article && articles.has(article))
    for (const law of article ? [] : laws) keys.add(titleKey(law))
    if (!edition) continue
    keys.add(titleKey(edition.title))
    const of = quotes.get(edition) ?? new Map<string, string[]>()
    of.set(article!, [...(of.get(article!) ?? []), ...(quote ? [quote] : [])])
    quotes.set(edition, of)
  }
  const lines = [...keys].sort().flatMap((key) =>
    (database.get(key) ?? []).flatMap((edition) => {
      const { articles, ...head } = edition
      const named = quotes.get(edition) ?? new Map<string, string[]>()
      const excerpts = [...articles.keys()]
        .filter((article) => named.has(article))
        .map((article) => [article, ...linesFor(articles.get(article)!, named.get(article)!)])
      return [head, ...excerpts].map((line) => JSON.stringify(line))
    }),
  )
  return `${lines.join('\n')}\n`
}
