import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { post } from '../deps.ts'
import { Day } from '../document.ts'
import { today } from '../search/query/request.ts'
import { citationsIn } from './citations.ts'
import { CurrentArticle } from './current-article.ts'
import { EditionStatus } from './edition.ts'
import { type CitedArticle, verifyCitations } from './verify-citations.ts'

const CitationInput = z.object({
  law: z.string().min(1).max(300),
  article: z.union([z.string().min(1).max(60), z.int().min(0)]).transform(String),
  quote: z.string().min(1).max(20_000).optional().describe('Words to compare with the text.'),
})

const VerifyRequest = z
  .object({
    text: z.string().max(500_000).optional(),
    citations: z.array(CitationInput).max(1_000).optional(),
    as_of: Day.optional().describe('Day on which the law is applied. Default: today.'),
  })
  .refine(({ text, citations }) => text !== undefined || citations !== undefined, {
    path: ['text'],
    message: 'Give a text or citations.',
  })
  .meta({ anyOf: [{ required: ['text'] }, { required: ['citations'] }] })

const EditionPeriod = z.object({
  document_id: z.string(),
  effective_from: z.string().nullable(),
  effective_to: z.string().nullable().describe('Last day in force, null while open.'),
})

const VerifiedCitation = z.object({
  law: z.string(),
  article: z.string(),
  paragraph: z.int().nullable().describe('款'),
  item: z.int().nullable().describe('项'),
  found: z.boolean().describe('True if the edition in force on the day has the article.'),
  in_force: z.boolean(),
  document_id: z.string().nullable(),
  section_id: z.string().nullable(),
  content: z.string().nullable(),
  edition: EditionPeriod.nullable().describe(
    'The edition used; without one in force on the day, the edition that has the article.',
  ),
  status: EditionStatus.nullable().describe('Status of the edition on the day.'),
  now: CurrentArticle.nullish().describe(
    'Only for a text out of force: the article that corresponds today, null if it cannot be told.',
  ),
  quote_matches: z
    .boolean()
    .nullable()
    .describe('Whether the quote is verbatim. Null without a quote or a text.'),
  start: z.int().nullable().describe('Position in the text, in UTF-16 units.'),
  end: z.int().nullable(),
})

export const verify = [
  post(
    '/api/v1/internal/citations/verify',
    {
      summary: 'Check the articles that a text cites',
      description:
        'Resolves each citation to the edition in force on a day. A paragraph that the article does not have is not found.',
      body: VerifyRequest,
      example: { text: '依据《民法典》第六百七十五条，借款人应当返还借款。' },
      responses: { 200: z.object({ citations: z.array(VerifiedCitation) }) },
    },
    async (c, { body: { text = '', citations = [], as_of } }) => {
      const cited = [...citations.map(parseCitation), ...citationsIn(text)]
      const day = today()
      return ok(c, { citations: await verifyCitations(c.env, cited, as_of ?? day, day) })
    },
  ),
]

/** Parses a structured citation, whose `article` may include a paragraph and an item. */
function parseCitation({ law, article, quote }: z.output<typeof CitationInput>): CitedArticle {
  const [inText] = citationsIn(`《${law.replaceAll(/[《》]/g, '')}》${article}`)
  const { paragraph = null, item = null, editionYear = null } = inText ?? {}
  return { law, article, paragraph, item, editionYear, quote, start: null, end: null }
}
