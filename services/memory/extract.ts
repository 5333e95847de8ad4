import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { organization } from '../_kit/identity.ts'
import { post } from './deps.ts'

const ExtractResponse = z.object({
  success: z.literal(true),
  facts: z.array(z.never()),
  count: z.literal(0),
  error: z.null(),
})

export const extract = [
  post(
    '/api/v1/internal/memory/extract',
    {
      summary: 'Extract facts from a text',
      description:
        'Placeholder: accepts any body and returns no facts in the final response format.',
      guard: organization,
      body: z.unknown(),
      responses: { 200: ExtractResponse },
    },
    async (c) => ok(c, { success: true, facts: [], count: 0, error: null }),
  ),
]
