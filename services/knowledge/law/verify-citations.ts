import type { ServiceContext } from '../../_kit/context.ts'
import type { Deps } from '../deps.ts'
import { type Article, loadArticles, sameDocument } from './articles.ts'
import type { Citation } from './citation.ts'
import { findCurrentArticles } from './current-article.ts'
import { effectivePeriod, isInForceOn, statusOn } from './edition.ts'
import { type Edition, loadEditions, matchEditions, selectEdition } from './editions.ts'
import { articleKey, lawKeys } from './numerals.ts'
import { extractParagraph } from './paragraph.ts'
import { containsQuote } from './quote.ts'

/** A citation of a text, or one without a position. */
export type CitedArticle = Omit<Citation, 'start' | 'end'> & {
  start: number | null
  end: number | null
  quote?: string | undefined
}

interface CitedText {
  edition: Edition
  article: Article
  content: string
}

/** Verifies citations against the editions of a day. `today` is the day of `now`. */
export async function verifyCitations(
  context: ServiceContext<Deps>,
  cited: readonly CitedArticle[],
  day: string,
  today: string,
) {
  const { sql } = context
  const names = cited.flatMap(({ law, readings = [] }) => [law, ...readings.map(({ law }) => law)])
  const editions = await loadEditions(sql, [...new Set(names.flatMap(lawKeys))])
  const articles = await loadArticles(sql, editions, [
    ...new Set(cited.flatMap(({ article }) => articleKey(article) ?? [])),
  ])
  const resolved = cited.map((each) =>
    resolveCitation(chooseReading(each, editions), editions, articles, day),
  )
  const outOfForce = resolved.flatMap(({ edition }) =>
    edition && !isInForceOn(edition, today) ? [edition] : [],
  )
  const findCurrent = await findCurrentArticles(context, outOfForce, editions, today)
  return Promise.all(
    resolved.map(async ({ cited, edition, text }) => {
      const { quote, editionYear, readings, ...citation } = cited
      const inForce = text !== undefined && isInForceOn(text.edition, day)
      const isOut = edition !== undefined && !isInForceOn(edition, today)
      const isFuture = !inForce && text !== undefined && isInForceOn(text.edition, today)
      return {
        ...citation,
        found: inForce,
        in_force: inForce,
        document_id: inForce ? text.edition.document_id : null,
        section_id: inForce ? text.article.section_id : null,
        content: inForce ? text.content : null,
        edition: edition?.law
          ? { document_id: edition.document_id, ...effectivePeriod(edition) }
          : null,
        status: edition ? statusOn(edition, day) : null,
        quote_matches: inForce && quote !== undefined ? containsQuote(text.content, quote) : null,
        ...(isOut && { now: text ? await findCurrent(text.edition, text.article) : null }),
        // A text that was not yet in force on the day, and is today.
        ...(isFuture && { now: { law: text.edition.title, article: citation.article } }),
      }
    }),
  )
}

/** A citation by the longest reading of its name that is the name of a law. */
function chooseReading(cited: CitedArticle, editions: readonly Edition[]): CitedArticle {
  const known = (cited.readings ?? [])
    .filter(({ law }) => matchEditions(editions, lawKeys(law)).length > 0)
    .sort((a, b) => b.law.length - a.law.length)
  return { ...cited, ...known[0] }
}

/**
 * Resolves a citation to the edition in force on the day. Otherwise to the edition that has the
 * article, so that a citation of a repealed or later text is reported as such.
 */
function resolveCitation(
  cited: CitedArticle,
  editions: readonly Edition[],
  articles: readonly Article[],
  day: string,
): { cited: CitedArticle; edition: Edition | undefined; text: CitedText | undefined } {
  const own = ofYear(matchEditions(editions, lawKeys(cited.law)), cited.editionYear)
  const key = articleKey(cited.article)
  const texts = own.flatMap((edition): CitedText[] => {
    const article = articles.find((each) => each.article === key && sameDocument(each, edition))
    const content = article && extractParagraph(article.content, cited.paragraph, cited.item)
    return article && content ? [{ edition, article, content }] : []
  })
  const edition = selectEdition(
    texts.map((text) => text.edition),
    day,
  )
  const text = texts.find((each) => each.edition === edition)
  return { cited, edition: edition ?? selectEdition(own, day), text }
}

/** Editions of the year that a citation names, or all if there is none of that year. */
function ofYear(editions: Edition[], year: number | null): Edition[] {
  if (year === null) return editions
  const named = editions.filter(
    ({ published_year, in_force_from }) =>
      published_year === year || Number(in_force_from?.slice(0, 4)) === year,
  )
  return named.length > 0 ? named : editions
}
