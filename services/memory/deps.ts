import * as z from 'zod'
import { makeCircuit } from '../_kit/circuit.ts'
import type { OpenContext } from '../_kit/context.ts'
import { endpoints } from '../_kit/endpoint.ts'
import { makeReranker, type Reranker } from '../_kit/rerank.ts'

export const Config = z.object({
  RERANK_URL: z
    .url()
    .optional()
    .describe('URL of the rerank service. Used by recall when the request sets `rerank`.'),
  RERANK_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60_000)
    .default(2_000)
    .describe('Timeout of a rerank request in milliseconds.'),
})

export interface Deps {
  rerank: Reranker | undefined
}

export const open = (config: z.output<typeof Config>, { circuit }: OpenContext): Deps => ({
  rerank:
    config.RERANK_URL === undefined
      ? undefined
      : makeReranker(
          config.RERANK_URL,
          config.RERANK_TIMEOUT_MS,
          circuit('rerank', () => makeCircuit(3, 10_000)),
        ),
})

export const { get, post, put, del } = endpoints<Deps>()
