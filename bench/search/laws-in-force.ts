import { articleKey, shortLawKey } from '../../services/knowledge/law/numerals.ts'
import { hasNationalData, nationalFile, readLawLines } from '../../tests/support/law/law-lines.ts'
import type { Article } from './statutes.ts'

/**
 * Reads the articles of the laws in force, each once, with the headings above them. The id is the short key of
 * the law and the article number. Returns the reason if the data is missing.
 */
export function readArticlesInForce(): Article[] | string {
  if (!hasNationalData()) {
    return 'no laws: LEGAL_SUITE_DATA names no directory with laws.jsonl.gz'
  }
  const articles = new Map<string, Article>()
  for (const { title, status, group, articles: own } of readLawLines(nationalFile)) {
    if (status !== 'in force') continue
    const law = shortLawKey(title)
    for (const { article, path, text } of own) {
      const number = article === null ? null : articleKey(article)
      if (number === null) continue
      const id = articleId(law, number)
      if (articles.has(id)) continue
      const interpretation = group === '司法解释'
      articles.set(id, {
        id,
        law,
        article: article!,
        interpretation,
        heading: path.join('\n'),
        text,
      })
    }
  }
  return [...articles.values()]
}

/** Id of an article in force, by any name of its law and any notation of its number. */
export const articleId = (law: string, article: string) =>
  `${shortLawKey(law)} ${articleKey(article) ?? article}`
