import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { type Sql, textArray } from '../../_kit/sql/sql.ts'
import { post } from '../deps.ts'
import { Day } from '../document.ts'
import { today } from '../search/query/request.ts'
import { type Citation, citationsIn } from './citations.ts'
import { articleKey, lawKey } from './numerals.ts'
import { extractParagraph } from './paragraph.ts'

const CitationInput = z.object({
  law: z.string().min(1).max(300),
  article: z.union([z.string().min(1).max(60), z.int().min(0)]).transform(String),
})

const VerifyRequest = z
  .object({
    text: z.string().max(500_000).optional(),
    citations: z.array(CitationInput).max(1_000).optional(),
    as_of: Day.optional().describe('By default today.'),
  })
  .refine(({ text, citations }) => text !== undefined || citations !== undefined, {
    path: ['text'],
    message: 'Give a text or citations.',
  })
  .meta({ anyOf: [{ required: ['text'] }, { required: ['citations'] }] })

const VerifiedCitation = z.object({
  law: z.string(),
  article: z.string(),
  paragraph: z.int().nullable().describe('款'),
  item: z.int().nullable().describe('项'),
  found: z.boolean(),
  in_force: z.boolean(),
  document_id: z.string().nullable(),
  section_id: z.string().nullable(),
  content: z.string().nullable(),
  start: z.int().nullable().describe('Where it stands in the text, in UTF-16 units.'),
  end: z.int().nullable(),
})

export const verify = [
  post(
    '/api/v1/internal/citations/verify',
    {
      summary: 'Check the articles that a text cites',
      description:
        'Whether each exists, is in force and what it says. A paragraph that the article does not have is not found.',
      body: VerifyRequest,
      example: { text: '依据《民法典》第六百七十五条，借款人应当返还借款。' },
      responses: { 200: z.object({ citations: z.array(VerifiedCitation) }) },
    },
    async (c, { body: { text = '', citations = [], as_of } }) => {
      const cited = [...citations.map(parseCitation), ...citationsIn(text)]
      const articles = await loadArticles(c.env.sql, cited, as_of ?? today())
      return ok(c, { citations: cited.map((each) => verifyCitation(each, articles)) })
    },
  ),
]

type CitedArticle = Omit<Citation, 'start' | 'end'> & { start: number | null; end: number | null }

/** Parses a structured citation, whose `article` may include a paragraph and an item. */
function parseCitation({ law, article }: z.output<typeof CitationInput>): CitedArticle {
  const [inText] = citationsIn(`《${lawKey(law)}》${article}`)
  const { paragraph = null, item = null } = inText ?? {}
  return { law, article, paragraph, item, start: null, end: null }
}

const Article = z.object({
  law_keys: z.array(z.string()),
  article: z.string(),
  document_id: z.string(),
  section_id: z.string().nullable(),
  content: z.string(),
  in_force: z.boolean(),
})
type Article = z.infer<typeof Article>

/** Loads cited articles, in force first, then newest. System bases only: tenant texts are not law. */
const loadArticles = (sql: Sql, cited: readonly CitedArticle[], day: string) => sql.rows(Article)`
  select law_keys, article, document_id, min(section_id) as section_id,
    string_agg(content, E'\n' order by chunk_index) as content,
    bool_and((in_force_from is null or in_force_from <= ${day}::text::date)
      and (in_force_to is null or in_force_to > ${day}::text::date)) as in_force
  from knowledge.documents document
    join knowledge.bases base on base.no = document.base and base.organization_id is null
    join knowledge.chunks chunk using (base, document_id)
  where law_keys && ${textArray([...new Set(cited.map(({ law }) => lawKey(law)))])}
    and article = any(${textArray(cited.flatMap(({ article }) => articleKey(article) ?? []))})
  group by base.no, document_id, law_keys, article
  order by in_force desc, max(in_force_from) desc nulls last, base.no, document_id`

function verifyCitation(
  cited: CitedArticle,
  articles: readonly Article[],
): z.infer<typeof VerifiedCitation> {
  const law = lawKey(cited.law)
  const key = articleKey(cited.article)
  const matches = articles.filter((each) => each.article === key && each.law_keys.includes(law))
  // The text of the law takes precedence over digests of it.
  const primaryText = matches.find(({ law_keys, in_force }) => in_force && law_keys[0] === law)
  const article = primaryText ?? matches[0]
  const content = article ? extractParagraph(article.content, cited.paragraph, cited.item) : null
  if (!article || content === null) {
    const noText = { document_id: null, section_id: null, content: null }
    return { ...cited, found: false, in_force: false, ...noText }
  }
  const { document_id, section_id, in_force } = article
  return { ...cited, found: true, in_force, document_id, section_id, content }
}
