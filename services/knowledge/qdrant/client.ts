import { QdrantClient as RestClient } from '@qdrant/js-client-rest'
import { type Circuit, makeCircuit } from '../../_kit/circuit.ts'

/** Clients of one Qdrant server. Every failure is thrown. */
export interface QdrantClient {
  /** For searches, with a short time limit. */
  search: RestClient
  /** For background jobs, whose requests may take longer. */
  background: RestClient
  circuit: Circuit
}

export interface QdrantConfig {
  url: string
  key: string | undefined
  /** Time limit of a search. */
  timeoutMs: number
  circuit?: Circuit
}

const backgroundTimeoutMs = 10_000

export function makeQdrantClient({
  url,
  key,
  timeoutMs,
  circuit = makeCircuit(3, 5_000),
}: QdrantConfig): QdrantClient {
  const { origin, pathname } = new URL(url)
  const connect = (timeout: number) =>
    new RestClient({
      url: origin,
      // The client's default port would replace the one that the scheme implies.
      port: null,
      prefix: pathname.replace(/\/+$/, ''),
      // A key in `apiKey` over HTTP is printed as a warning to the console.
      ...(key && { headers: { 'api-key': key } }),
      timeout,
      checkCompatibility: false,
    })
  return { search: connect(timeoutMs), background: connect(backgroundTimeoutMs), circuit }
}

/** True if the server works but rejects the request. */
export const isRejection = (thrown: unknown) =>
  thrown instanceof Error && 'status' in thrown && [400, 413, 422].includes(Number(thrown.status))

export async function aliasTarget(
  { background }: QdrantClient,
  alias: string,
): Promise<string | undefined> {
  const { aliases } = await background.getAliases()
  return aliases.find(({ alias_name }) => alias_name === alias)?.collection_name
}
