import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { post } from '../deps.ts'
import { Day, Title } from '../document.ts'
import { today } from '../search/query/request.ts'
import { type Article, loadArticles } from './articles.ts'
import { EditionStatus, effectivePeriod, isInForceOn, statusOn } from './edition.ts'
import { loadEditions, matchEditions } from './editions.ts'
import { articleKey, lawKeys } from './numerals.ts'

const LawResponse = z.object({
  editions: z
    .array(
      z.object({
        document_id: z.string(),
        effective_from: z.string().nullable(),
        effective_to: z.string().nullable().describe('Last day in force, null while open.'),
        status: EditionStatus,
      }),
    )
    .describe('Editions of the law, newest first, with their status on the day.'),
  article: z
    .object({
      section_id: z.string().nullable(),
      content: z.string(),
      path: z.array(z.string()).describe('Part, chapter and section.'),
    })
    .nullable()
    .describe('The article in the edition in force on the day, null if there is none.'),
})

export const laws = [
  post(
    '/api/v1/internal/atomic/law',
    {
      summary: 'Get the editions of a law and an article of one',
      description: 'Reads system bases. A law that is not known has no editions.',
      body: z.object({
        title: Title.describe('Name of the law, in full or short, or an alias.'),
        article: z.union([z.string().min(1).max(60), z.int().min(0)]).nullish(),
        as_of: Day.optional().describe('Day on which the law is applied. Default: today.'),
      }),
      example: { title: '民法典', article: '第六百七十五条', as_of: '2024-05-01' },
      responses: { 200: LawResponse },
    },
    async (c, { body: { title, article, as_of } }) => {
      const day = as_of ?? today()
      const keys = lawKeys(title)
      const loaded = await loadEditions(c.env.sql, keys)
      const editions = matchEditions(loaded, keys).filter(({ law }) => law !== null)
      const inForce = editions.filter((edition) => isInForceOn(edition, day))
      const key = article == null ? null : articleKey(String(article))
      const [found] =
        key === null || inForce.length === 0
          ? []
          : await loadArticles(c.env.sql, inForce.slice(0, 1), [key])
      return ok(c, {
        editions: editions.map((edition) => ({
          document_id: edition.document_id,
          ...effectivePeriod(edition),
          status: statusOn(edition, day),
        })),
        article: found ? describeArticle(found) : null,
      })
    },
  ),
]

const describeArticle = ({ section_id, content, heading }: Article) => ({
  section_id,
  content,
  path: heading ? heading.split(' / ') : [],
})
