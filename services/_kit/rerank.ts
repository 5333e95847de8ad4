import * as z from 'zod'
import type { Circuit } from './circuit.ts'

const Results = z.object({
  results: z.array(z.object({ index: z.int().min(0), relevance_score: z.number() })),
})

/** Client of the optional rerank service. */
export interface Reranker {
  /** Returns document indexes with scores, best first. Throws if the service fails. */
  rerank(
    query: string,
    documents: string[],
    top: number,
  ): Promise<{ index: number; score: number }[]>
  /** Throws if the service is not reachable. */
  check(): Promise<unknown>
}

export function makeReranker(url: string, timeoutMs: number, circuit: Circuit): Reranker {
  return {
    async rerank(query, documents, top) {
      if (circuit.open()) throw new Error('the circuit to the rerank service is open')
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query, documents, top_n: top }),
          signal: AbortSignal.timeout(timeoutMs),
          redirect: 'manual',
        })
        if (!response.ok) throw new Error(`the rerank service returned ${response.status}`)
        const { results } = Results.parse(await response.json())
        const indexes = new Set(results.map(({ index }) => index))
        if (
          indexes.size < results.length ||
          results.some(({ index }) => index >= documents.length)
        ) {
          throw new Error('the rerank service returned a duplicate or unknown document')
        }
        if (results.length < Math.min(top, documents.length)) {
          throw new Error('the rerank service returned too few documents')
        }
        circuit.recordSuccess()
        return results
          .map(({ index, relevance_score }) => ({ index, score: relevance_score }))
          .sort((a, b) => b.score - a.score)
          .slice(0, top)
      } catch (thrown) {
        circuit.recordFailure()
        throw thrown
      }
    },
    check: () =>
      fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(1_000), redirect: 'manual' }),
  }
}
