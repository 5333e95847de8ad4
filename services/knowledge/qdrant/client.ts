import * as z from 'zod'
import { type Circuit, makeCircuit } from '../../_kit/circuit.ts'

/** REST client of a Qdrant server. Every failure is thrown. */
export interface QdrantClient {
  /** `requestTimeoutMs` overrides the timeout of searches. */
  request<T>(
    schema: z.ZodType<T>,
    method: string,
    path: string,
    body?: unknown,
    requestTimeoutMs?: number,
  ): Promise<T>
  circuit: Circuit
}

export interface QdrantConfig {
  url: string
  key: string | undefined
  timeoutMs: number
  circuit?: Circuit
}

export function makeQdrantClient({
  url,
  key,
  timeoutMs,
  circuit = makeCircuit(3, 5_000),
}: QdrantConfig): QdrantClient {
  const base = url.replace(/\/+$/, '')
  const headers = { 'content-type': 'application/json', ...(key ? { 'api-key': key } : {}) }
  return {
    circuit,
    async request(schema, method, path, body, requestTimeoutMs = timeoutMs) {
      const response = await fetch(base + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(requestTimeoutMs),
        redirect: 'manual',
      })
      if (!response.ok) {
        await response.body?.cancel()
        throw new QdrantError(response.status, `${method} ${path.replace(/\?.*/, '')}`)
      }
      return z.object({ result: schema }).parse(await response.json()).result
    },
  }
}

export class QdrantError extends Error {
  override name = 'QdrantError'
  readonly status: number

  /** True if the server works but rejects the request. */
  get refused() {
    return [400, 413, 422].includes(this.status)
  }

  constructor(status: number, what: string) {
    super(`Qdrant answered ${status} to ${what}`)
    this.status = status
  }
}

const Exists = z.object({ exists: z.boolean() })
const Aliases = z.object({
  aliases: z.array(z.object({ alias_name: z.string(), collection_name: z.string() })),
})

export const anything = z.unknown()

export const collectionExists = async (qdrant: QdrantClient, collection: string) =>
  (await qdrant.request(Exists, 'GET', `/collections/${collection}/exists`)).exists

export const dropCollection = (qdrant: QdrantClient, collection: string) =>
  qdrant.request(anything, 'DELETE', `/collections/${collection}`)

export async function aliasTarget(
  qdrant: QdrantClient,
  alias: string,
): Promise<string | undefined> {
  const { aliases } = await qdrant.request(Aliases, 'GET', '/aliases')
  return aliases.find(({ alias_name }) => alias_name === alias)?.collection_name
}
