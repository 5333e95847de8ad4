import * as z from 'zod'
import { type Circuit, makeCircuit } from '../../_kit/circuit.ts'

/** A Qdrant server over its REST API. Every failure is an error; there are many ways to fail. */
export interface Qdrant {
  /** `patienceMs` where nobody waits for the answer. */
  ask<T>(
    schema: z.ZodType<T>,
    method: string,
    path: string,
    body?: unknown,
    patienceMs?: number,
  ): Promise<T>
  circuit: Circuit
}

export interface QdrantConfig {
  url: string
  key: string | undefined
  timeoutMs: number
  circuit?: Circuit
}

export function makeQdrant({
  url,
  key,
  timeoutMs,
  circuit = makeCircuit(3, 5_000),
}: QdrantConfig): Qdrant {
  const base = url.replace(/\/+$/, '')
  const headers = { 'content-type': 'application/json', ...(key ? { 'api-key': key } : {}) }
  return {
    circuit,
    async ask(schema, method, path, body, patienceMs = timeoutMs) {
      const response = await fetch(base + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(patienceMs),
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

  /** The server is well; it does not take what it was sent. */
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

export const exists = async (qdrant: Qdrant, collection: string) =>
  (await qdrant.ask(Exists, 'GET', `/collections/${collection}/exists`)).exists

export const dropped = (qdrant: Qdrant, collection: string) =>
  qdrant.ask(anything, 'DELETE', `/collections/${collection}`)

/** The collection that an alias leads to. */
export async function aliased(qdrant: Qdrant, alias: string): Promise<string | undefined> {
  const { aliases } = await qdrant.ask(Aliases, 'GET', '/aliases')
  return aliases.find(({ alias_name }) => alias_name === alias)?.collection_name
}
