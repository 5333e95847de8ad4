import * as z from 'zod'
import { defineTool } from './tool.ts'

const Law = z.looseObject({ title: z.string() })
const SearchResponse = z.object({
  hits: z.array(
    z.object({
      document_id: z.string(),
      title: z.string(),
      section_id: z.string().nullable(),
      content: z.string(),
      metadata: z.looseObject({ law: Law.nullish().catch(null) }).nullish(),
      score: z.number(),
    }),
  ),
})

/** Characters per passage. */
const maxPassageChars = 2_000

export const researchLaw = defineTool({
  name: 'research_law',
  description:
    'Finds the law for the description of a case: passages of statutes, interpretations and cases, best first, in the edition in force on a day.',
  parameters: z.object({
    query: z.string().min(1).max(8_000),
    top_k: z.int().min(1).max(20).default(10),
    as_of: z.iso.date(),
  }),
  async run({ knowledge, readerHeaders }, body) {
    const { hits } = await knowledge.request(
      SearchResponse,
      '/api/v1/internal/atomic/graph-rag-search',
      {
        method: 'POST',
        headers: readerHeaders,
        body: { ...body, expand: true },
        idempotent: true,
      },
    )
    return {
      passages: hits.map(({ document_id, title, section_id, content, metadata }) => ({
        ...{ document_id, title, section_id },
        law: metadata?.law?.title ?? null,
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
      content: z.string().nullish(),
      quote_matches: z.boolean().nullish(),
      document_id: z.string().nullish(),
    }),
  ),
})

export const verifyCitations = defineTool({
  name: 'verify_citations',
  description:
    'For each citation: whether the article is on file, whether it was in force on a day, and whether the quote occurs in it.',
  parameters: z.object({
    citations: z
      .array(z.object({ law: z.string(), article: z.string(), quote: z.string().optional() }))
      .min(1)
      .max(200),
    as_of: z.iso.date(),
  }),
  run: ({ knowledge, readerHeaders }, body) =>
    knowledge.request(VerifyResponse, '/api/v1/internal/citations/verify', {
      method: 'POST',
      headers: readerHeaders,
      body,
      idempotent: true,
    }),
})
