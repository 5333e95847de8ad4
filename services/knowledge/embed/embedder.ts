import * as z from 'zod'
import { makeCircuit } from '../../_kit/circuit.ts'

const Answer = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1) })),
})

export interface Embedder {
  model: string
  dims: number | undefined
  /** Vectors of texts, in their order. Throws when the API fails for good. */
  texts(texts: readonly string[]): Promise<number[][]>
  /** The vector of a question; tried once, since somebody waits. */
  question(text: string): Promise<number[]>
  /** Throws when nobody answers there. */
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

/** How many texts go into one request, and how often one is tried. */
export const batch = 32
const tries = 4
const patienceMs = 60_000

/** An OpenAI-compatible embedding API, where one is configured. */
export function makeEmbedder(config: Config): Embedder | undefined {
  const { OPENAI_API_KEY: key, KNOWLEDGE_EMBEDDING_MODEL: model } = config
  const dims = config.KNOWLEDGE_EMBEDDING_DIMS
  if (!model || !(key || config.OPENAI_BASE_URL)) return undefined
  const base = (config.OPENAI_BASE_URL ?? 'https://api.openai.com/v1').replace(/\/+$/, '')
  const headers = {
    'content-type': 'application/json',
    ...(key ? { authorization: `Bearer ${key}` } : {}),
  }
  const circuit = makeCircuit(3, 10_000)

  async function ask(input: readonly string[], timeoutMs: number): Promise<number[][]> {
    const response = await fetch(`${base}/embeddings`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model, input }),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'manual',
    })
    if (!response.ok) throw new Refused(response.status)
    const { data } = Answer.parse(await response.json())
    const vectors = data.sort((a, b) => a.index - b.index).map(({ embedding }) => embedding)
    if (vectors.length !== input.length || data.some(({ index }, place) => index !== place)) {
      throw new Error('the embedding API left texts out')
    }
    if (dims !== undefined && vectors.some((vector) => vector.length !== dims)) {
      throw new Error(`the embedding API gave vectors of other than ${dims} dimensions`)
    }
    return vectors
  }

  async function patiently(input: readonly string[]): Promise<number[][]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await ask(input, patienceMs)
      } catch (thrown) {
        if (attempt === tries || (thrown instanceof Refused && !thrown.retryable)) throw thrown
        await new Promise((go) => setTimeout(go, 2 ** attempt * 100 * (0.5 + Math.random())))
      }
    }
  }

  return {
    model,
    dims,
    async texts(all) {
      const vectors: number[][] = []
      for (let at = 0; at < all.length; at += batch) {
        vectors.push(...(await patiently(all.slice(at, at + batch))))
      }
      return vectors
    },
    async question(text) {
      if (circuit.open()) throw new Error('the embedding API failed a moment ago')
      try {
        const prefixed = config.KNOWLEDGE_EMBEDDING_QUERY_PREFIX + text
        const [vector] = await ask([prefixed], config.KNOWLEDGE_EMBEDDING_TIMEOUT_MS)
        circuit.succeeded()
        return vector!
      } catch (thrown) {
        circuit.failed()
        throw thrown
      }
    },
    check: () => fetch(base, { method: 'HEAD', signal: AbortSignal.timeout(1_000) }),
  }
}

class Refused extends Error {
  readonly retryable: boolean

  constructor(status: number) {
    super(`the embedding API answered ${status}`)
    this.retryable = status === 429 || status >= 500
  }
}
