import * as z from 'zod'
import { type Circuit, makeCircuit } from '../../_kit/circuit.ts'
import { normalize } from './vectors.ts'

const EmbeddingResponse = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1) })),
})

export interface Embedder {
  model: string
  dims: number | undefined
  /** Embeds texts in order; null for a text that the model rejects. Throws when the API fails. */
  embedTexts(embedTexts: readonly string[]): Promise<(number[] | null)[]>
  /** Embeds a query without retries, since a search waits for it. */
  embedQuery(text: string): Promise<number[]>
  /** Throws if the API does not respond. */
  check(): Promise<unknown>
}

interface Config {
  OPENAI_API_KEY?: string | undefined
  OPENAI_BASE_URL?: string | undefined
  KNOWLEDGE_EMBEDDING_MODEL?: string | undefined
  KNOWLEDGE_EMBEDDING_DIMS?: number | undefined
  KNOWLEDGE_EMBEDDING_QUERY_PREFIX: string
  KNOWLEDGE_EMBEDDING_TIMEOUT_MS: number
}

/** Texts per request, attempts, and timeout of background requests. */
export const batchSize = 32
const maxAttempts = 4
const timeoutMs = 60_000

/** Client of an OpenAI-compatible embedding API; undefined if none is configured. */
export function makeEmbedder(
  config: Config,
  circuit: Circuit = makeCircuit(3, 10_000),
): Embedder | undefined {
  const { OPENAI_API_KEY: key, KNOWLEDGE_EMBEDDING_MODEL: model } = config
  const dims = config.KNOWLEDGE_EMBEDDING_DIMS
  if (!model || !(key || config.OPENAI_BASE_URL)) return undefined
  const base = (config.OPENAI_BASE_URL ?? 'https://api.openai.com/v1').replace(/\/+$/, '')
  const headers = {
    'content-type': 'application/json',
    ...(key ? { authorization: `Bearer ${key}` } : {}),
  }

  async function request(input: readonly string[], timeoutMs: number): Promise<number[][]> {
    const response = await fetch(`${base}/embeddings`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model, input }),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'manual',
    })
    if (!response.ok) {
      await response.body?.cancel()
      throw new EmbeddingApiError(response.status)
    }
    const { data } = EmbeddingResponse.parse(await response.json())
    const vectors = data.sort((a, b) => a.index - b.index).map(({ embedding }) => embedding)
    if (vectors.length !== input.length || data.some(({ index }, place) => index !== place)) {
      throw new Error('embedding API returned too few vectors')
    }
    if (dims !== undefined && vectors.some((vector) => vector.length !== dims)) {
      throw new Error(`embedding API returned vectors without ${dims} dimensions`)
    }
    return vectors
  }

  async function embedWithRetry(input: readonly string[]): Promise<number[][]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await request(input, timeoutMs)
      } catch (thrown) {
        if (attempt === maxAttempts || (thrown instanceof EmbeddingApiError && !thrown.retryable))
          throw thrown
        await new Promise((go) => setTimeout(go, 2 ** attempt * 100 * (0.5 + Math.random())))
      }
    }
  }

  /** Bisects a rejected batch, so that one rejected text does not block the others. */
  async function embedBisecting(input: readonly string[]): Promise<(number[] | null)[]> {
    try {
      return (await embedWithRetry(input)).map((vector) => (normalize(vector) ? vector : null))
    } catch (thrown) {
      if (!(thrown instanceof EmbeddingApiError && thrown.rejectsText)) throw thrown
      if (input.length > 1) {
        const half = input.length >> 1
        return [
          ...(await embedBisecting(input.slice(0, half))),
          ...(await embedBisecting(input.slice(half))),
        ]
      }
      // If a harmless text is rejected as well, the fault is not in the text.
      await embedWithRetry(['text'])
      return [null]
    }
  }

  return {
    model,
    dims,
    async embedTexts(all) {
      const vectors: (number[] | null)[] = []
      for (let at = 0; at < all.length; at += batchSize) {
        vectors.push(...(await embedBisecting(all.slice(at, at + batchSize))))
      }
      return vectors
    },
    async embedQuery(text) {
      if (circuit.open()) throw new Error('embedding circuit is open')
      try {
        const prefixed = config.KNOWLEDGE_EMBEDDING_QUERY_PREFIX + text
        const [vector] = await request([prefixed], config.KNOWLEDGE_EMBEDDING_TIMEOUT_MS)
        circuit.recordSuccess()
        return vector!
      } catch (thrown) {
        circuit.recordFailure()
        throw thrown
      }
    },
    check: () => fetch(base, { method: 'HEAD', signal: AbortSignal.timeout(1_000) }),
  }
}

class EmbeddingApiError extends Error {
  readonly retryable: boolean
  readonly rejectsText: boolean

  constructor(status: number) {
    super(`embedding API returned ${status}`)
    this.retryable = status === 429 || status >= 500
    this.rejectsText = [400, 413, 422].includes(status)
  }
}
