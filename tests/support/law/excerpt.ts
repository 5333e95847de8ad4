import type { Cited } from './cited.ts'
import { type Edition, editionFor, type Laws, titleKey } from './editions.ts'
import { figuresIn } from './figures.ts'

const withoutSpace = (text: string) => text.replace(/\s+/g, '')

interface Needed {
  quotes: string[]
  figures: Set<string>
}

/** Lines of the articles that hold the quotes or figures; a whole article where a quote runs over lines. */
function linesFor(texts: string[], { quotes, figures }: Needed): string[] {
  return texts.flatMap((text) => {
    const lines = text.split('\n')
    const holding = (quote: string) =>
      lines.filter((line) => withoutSpace(line).includes(withoutSpace(quote)))
    const here = quotes.filter((quote) => withoutSpace(text).includes(withoutSpace(quote)))
    if (here.some((quote) => holding(quote).length === 0)) return [text]
    const stated = (line: string) => [...figuresIn(line)].some((figure) => figures.has(figure))
    return lines.filter(
      (line) => stated(line) || here.some((quote) => holding(quote).includes(line)),
    )
  })
}

/**
 * The part of the database that citations need: all editions of the laws they name, and of the
 * edition in force the articles they name, with the lines they quote or whose figures they state.
 */
export function excerptFor(cited: Cited[], titles: string[], database: Laws, day: string): string {
  const needed = new Map<Edition, Map<string, Needed>>()
  const keys = new Set(titles.map(titleKey))
  for (const { laws, article, quote, figures, former } of cited) {
    const editions = laws.flatMap((law) => editionFor(database, law, former, day) ?? [])
    const edition = editions.find(({ articles }) => article && articles.has(article))
    for (const law of article ? [] : laws) keys.add(titleKey(law))
    if (!edition) continue
    keys.add(titleKey(edition.title))
    const own = needed.get(edition) ?? new Map<string, Needed>()
    needed.set(edition, own)
    const need = own.get(article!) ?? { quotes: [], figures: new Set() }
    own.set(article!, need)
    if (quote) need.quotes.push(quote)
    for (const figure of figures ?? []) need.figures.add(figure)
  }
  const lines = [...keys].sort().flatMap((key) =>
    (database.get(key) ?? []).flatMap((edition) => {
      const { articles, ...head } = edition
      const named = needed.get(edition) ?? new Map<string, Needed>()
      const excerpts = [...articles.keys()]
        .filter((article) => named.has(article))
        .map((article) => [article, ...linesFor(articles.get(article)!, named.get(article)!)])
      return [head, ...excerpts].map((line) => JSON.stringify(line))
    }),
  )
  return `${lines.join('\n')}\n`
}
