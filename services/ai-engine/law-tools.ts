import * as z from 'zod'
import { defineTool } from './tool.ts'

const LegalBasis = z.object({ law: z.string(), article: z.string() })

const CauseOfAction = z.object({
  code: z.string(),
  name: z.string(),
  name_en: z.string().nullish(),
  limitation: z.object({ years: z.number().nullish(), basis: z.string().nullish() }).nullish(),
  elements: z.array(
    z.object({
      element_id: z.string(),
      name: z.string(),
      name_en: z.string().nullish(),
      description: z.string(),
      burden_of_proof: z.enum(['plaintiff', 'defendant']),
      required: z.boolean(),
      side: z.string().nullish(),
      applies_when: z.string().nullish(),
      applies_when_en: z.string().nullish(),
      questions: z.array(z.unknown()).default([]),
      evidence_types: z.array(z.string()),
      legal_basis: z.array(LegalBasis),
    }),
  ),
})

export const legalElements = defineTool({
  name: 'legal_elements',
  description:
    'What has to be proved for a cause of action: its elements, which are required and for which side, who bears the burden, what evidence serves, what to ask, and the articles of law each rests on.',
  parameters: z.object({ cause_of_action_code: z.string().regex(/^[\w.:-]{1,200}$/) }),
  run: ({ knowledge, readerHeaders }, { cause_of_action_code }) =>
    knowledge.request(CauseOfAction, `/api/v1/knowledge/causes-of-action/${cause_of_action_code}`, {
      headers: readerHeaders,
    }),
})

const AsOf = z.iso
  .date()
  .optional()
  .describe('Date of the facts, where it is known: the law of that day applies. Default: today.')

const SearchResponse = z.object({
  hits: z.array(
    z.object({
      kb_id: z.string(),
      document_id: z.string(),
      title: z.string(),
      section_id: z.string().nullable(),
      content: z.string(),
      score: z.number(),
    }),
  ),
})

/** Characters per passage. */
const maxPassageChars = 2_000

export const searchLaw = defineTool({
  name: 'search_law',
  description:
    'Searches statutes, interpretations, cases and the firm’s own papers for passages about a question, best first, in the edition in force on a day.',
  parameters: z.object({
    query: z.string().min(1).max(500),
    top_k: z.int().min(1).max(10).default(5),
    as_of: AsOf,
  }),
  async run(context, { query, top_k, as_of = context.today }) {
    const { hits } = await context.knowledge.request(
      SearchResponse,
      '/api/v1/internal/atomic/hybrid-search',
      {
        method: 'POST',
        headers: context.readerHeaders,
        body: { query, top_k, as_of },
        idempotent: true,
      },
    )
    return {
      passages: hits.map(({ content, ...hit }) => ({
        ...hit,
        content: content.slice(0, maxPassageChars),
      })),
    }
  },
})

const VerifyResponse = z.object({
  citations: z.array(
    z.object({
      law: z.string(),
      article: z.string(),
      found: z.boolean(),
      in_force: z.boolean(),
      content: z.string().nullable(),
      status: z.string().nullish(),
      edition: z
        .object({ effective_from: z.string().nullable(), effective_to: z.string().nullable() })
        .nullish(),
      now: LegalBasis.nullish(),
    }),
  ),
})

export const checkCitations = defineTool({
  name: 'check_citations',
  description:
    'For every 《law》第N条 or “Article N of the …” in a text: whether it is on file here and in force on a day, in which edition, what it says, and the article that corresponds today if it is out of force.',
  parameters: z.object({ text: z.string().min(1).max(20_000), as_of: AsOf }),
  run: (context, { text, as_of = context.today }) =>
    context.knowledge.request(VerifyResponse, '/api/v1/internal/citations/verify', {
      method: 'POST',
      headers: context.readerHeaders,
      body: { text, as_of },
      idempotent: true,
    }),
})
