import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { type Sql, textArray } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { runSearch } from '../search/run-search.ts'
import { type Article, loadArticles } from './articles.ts'
import { CorrespondenceIndex, type RuleText } from './correspondence.ts'
import { isInForceOn } from './edition.ts'
import { type Edition, matchEditions } from './editions.ts'

export const CurrentArticle = z.object({ law: z.string(), article: z.string() })
export type CurrentArticle = z.infer<typeof CurrentArticle>

/** Searches per request for laws whose successor no text names. */
const maxSearches = 20
const searchDepth = 20
/** Without a known successor only a nearly identical text is certain. */
const minSearchSimilarity = 0.75

const Successor = z.object({
  base: z.int(),
  document_id: z.string(),
  title: z.string(),
  repeals: z.array(z.string()),
})

const loadSuccessors = (sql: Sql, laws: readonly string[], today: string) => sql.rows(Successor)`
  select base, document_id, title, repeals
  from knowledge.documents document
    join knowledge.bases base on base.no = document.base and base.organization_id is null
  where repeals && ${textArray(laws)} and (in_force_from is null or in_force_from <= ${today}::text::date)
    and (in_force_to is null or in_force_to > ${today}::text::date)`

/**
 * Prepares the search for the articles that correspond today to articles of editions out of force: in
 * the edition of the same law in force today, else in the laws that repealed it, else anywhere. The
 * returned function gives null where the correspondence is not certain.
 */
export async function findCurrentArticles(
  context: ServiceContext<Deps>,
  outOfForce: readonly Edition[],
  editions: readonly Edition[],
  today: string,
): Promise<(edition: Edition, article: Article) => Promise<CurrentArticle | null>> {
  const { sql } = context
  const laws = outOfForce.flatMap(({ law }) => law ?? [])
  const successors = laws.length > 0 ? await loadSuccessors(sql, laws, today) : []
  const indexes = new Map<string, Promise<CorrespondenceIndex<CurrentArticle> | undefined>>()
  let searches = 0

  function targetsOf({ law, law_keys }: Edition) {
    const current = matchEditions(editions, law_keys.slice(0, 1)).filter((each) =>
      isInForceOn(each, today),
    )
    return current.length > 0 ? current : successors.filter(({ repeals }) => repeals.includes(law!))
  }

  async function buildIndex(edition: Edition) {
    const targets = targetsOf(edition)
    if (targets.length === 0) return undefined
    const titles = new Map(
      targets.map(({ base, document_id, title }) => [`${base} ${document_id}`, title]),
    )
    const articles = await loadArticles(sql, targets)
    return new CorrespondenceIndex(
      distinctRules(
        articles.map((article) => ({
          key: {
            law: titles.get(`${article.base} ${article.document_id}`)!,
            article: articleLabel(article.section_id, article.article),
          },
          content: article.content,
        })),
      ),
    )
  }

  return async (edition, { content }) => {
    if (edition.law === null) return null
    const index = indexes.get(edition.law) ?? buildIndex(edition)
    indexes.set(edition.law, index)
    const successors = await index
    if (successors) return successors.find(content)?.key ?? null
    return searches++ < maxSearches ? searchArticle(context, content, today) : null
  }
}

/** Finds a nearly identical article among the laws in force. */
async function searchArticle(context: ServiceContext<Deps>, content: string, today: string) {
  const bases = await context.sql.rows(z.object({ id: z.string() }))`
    select id from knowledge.bases where organization_id is null and chunks > 0 order by no limit 100`
  const { hits } = await runSearch(
    context,
    { organizationId: undefined, userType: undefined },
    'keyword',
    {
      query: content.slice(0, 400),
      kb_ids: bases.map(({ id }) => id),
      ...{ top_k: searchDepth, offset: 0, as_of: today },
      filters: {},
    },
  )
  const laws = hits.filter(({ metadata, section_id }) => metadata.law && section_id)
  const found = new CorrespondenceIndex(
    distinctRules(
      laws.map(({ title, section_id, content }) => ({
        key: { law: title, article: articleLabel(section_id, null) },
        content,
      })),
    ),
  ).find(content)
  return found && found.similarity >= minSearchSimilarity ? found.key : null
}

/** Rules without repetitions: a law that is stored twice has each article once. */
const distinctRules = (rules: RuleText<CurrentArticle>[]): RuleText<CurrentArticle>[] => [
  ...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values(),
]

/** Name of an article: the last part of its section, or its number. */
function articleLabel(sectionId: string | null, key: string | null): string {
  const last = sectionId
    ?.split('/')
    .at(-1)
    ?.replace(/ \(\d+\)$/, '')
  if (last && /^(第|art)/i.test(last)) return last
  const [number, sub] = (key ?? last ?? '').split('-')
  return sub === undefined ? `第${number}条` : `第${number}条之${sub}`
}
