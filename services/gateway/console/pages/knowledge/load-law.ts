import { request } from '../../api/client.ts'

interface VerifiedCitation {
  found: boolean
  section_id: string | null
  content: string | null
  edition: { effective_from: string | null; effective_to: string | null } | null
  status: LawStatus | null
}
export type LawStatus = 'in_force' | 'amended' | 'repealed' | 'not_yet_in_force'

export interface Article {
  number: number
  /** Parts, chapters and sections above the article. */
  path: string[]
  name: string
  content: string
}

/** Articles of a law in the edition in force on a day. */
export interface LawText {
  articles: Article[]
  effectiveFrom: string | null
  effectiveTo: string | null
  status: LawStatus | null
}

/** Number of articles of one request, as the endpoint allows. */
const batchSize = 1_000
const maxArticles = 3_000

/** Loads a law by asking for its articles by number, until a batch has none. */
export async function loadLaw(law: string, asOf: string, signal: AbortSignal): Promise<LawText> {
  const found: { number: number; citation: VerifiedCitation }[] = []
  for (let first = 1; first <= maxArticles; first += batchSize) {
    const numbers = Array.from({ length: batchSize }, (_, index) => first + index)
    const { citations } = await request<{ citations: VerifiedCitation[] }>(
      '/api/v1/ai/citations/verify',
      {
        method: 'POST',
        body: {
          citations: numbers.map((article) => ({ law, article })),
          ...(asOf && { as_of: asOf }),
        },
        signal,
      },
    )
    const batch = citations
      .map((citation, index) => ({ number: numbers[index]!, citation }))
      .filter(({ citation }) => citation.found)
    found.push(...batch)
    if (batch.length === 0) break
  }
  const edition = found[0]?.citation.edition
  return {
    articles: found.map(({ number, citation }) => readArticle(number, citation)),
    effectiveFrom: edition?.effective_from ?? null,
    effectiveTo: edition?.effective_to ?? null,
    status: found[0]?.citation.status ?? null,
  }
}

function readArticle(number: number, { section_id, content }: VerifiedCitation): Article {
  const path = (section_id ?? '').split('/').filter((part) => part !== '')
  const name = path.pop() ?? String(number)
  return { number, path, name, content: content ?? '' }
}

/** A section of a law with its articles and subsections. */
export interface SectionNode {
  title: string
  articles: Article[]
  sections: SectionNode[]
}

/** Builds the tree of sections in the order of the articles. */
export function buildSections(articles: Article[]): SectionNode {
  const root: SectionNode = { title: '', articles: [], sections: [] }
  for (const article of articles) {
    let section = root
    for (const title of article.path) {
      let next = section.sections.find((each) => each.title === title)
      if (!next) {
        next = { title, articles: [], sections: [] }
        section.sections.push(next)
      }
      section = next
    }
    section.articles.push(article)
  }
  return root
}

/** An article in two editions; undefined where an edition lacks it. */
export interface ArticlePair {
  number: number
  left: Article | undefined
  right: Article | undefined
  differs: boolean
}

export function pairArticles(left: Article[], right: Article[]): ArticlePair[] {
  const lefts = new Map(left.map((article) => [article.number, article]))
  const rights = new Map(right.map((article) => [article.number, article]))
  const numbers = [...new Set([...lefts.keys(), ...rights.keys()])].sort(
    (one, other) => one - other,
  )
  return numbers.map((number) => {
    const pair = { number, left: lefts.get(number), right: rights.get(number) }
    return { ...pair, differs: pair.left?.content !== pair.right?.content }
  })
}
