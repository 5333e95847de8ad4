import { makeCircuit } from '../_kit/circuit.ts'
import { ConfigError } from '../_kit/config.ts'
import type { OpenContext } from '../_kit/context.ts'
import { endpoints } from '../_kit/endpoint.ts'
import type { Client } from '../_kit/peer.ts'
import { makeReranker, type Reranker } from '../_kit/rerank.ts'
import type { Config } from './config.ts'
import { type Embedder, makeEmbedder } from './embed/embedder.ts'
import { makeVectorIndexes, type VectorIndexes } from './embed/pgvector.ts'
import type { Graph } from './graph/graph.ts'
import { withCircuitBreaker } from './graph/with-circuit.ts'
import { makeQdrantClient } from './qdrant/client.ts'
import type { QdrantSearch } from './qdrant/search-qdrant.ts'
import { makeSearchCache, type SearchCache } from './search/index/cache.ts'
import { defaultCacheMebibytes } from './search/index/default-budget.ts'
import { type LayWords, makeLayWords } from './search/query/lay-words.ts'

export interface Deps {
  files: Client
  platform: Client
  embedder: Embedder | undefined
  vectorIndexes: VectorIndexes
  searchCache: SearchCache
  layWords: LayWords | undefined
  qdrant: QdrantSearch | undefined
  graph: Graph | undefined
  rerank: Reranker | undefined
}

export const open = (config: Config, { client, circuit, runtime }: OpenContext): Deps => ({
  files: client('files-service'),
  platform: client('platform-service'),
  embedder: makeEmbedder(
    config,
    circuit('embedding', () => makeCircuit(3, 10_000)),
  ),
  vectorIndexes: makeVectorIndexes(),
  searchCache: makeSearchCache(config.KNOWLEDGE_SEARCH_CACHE_MB ?? defaultCacheMebibytes()),
  layWords: config.KNOWLEDGE_LAY_WORDS ? makeLayWords() : undefined,
  qdrant: openQdrant(config, circuit),
  graph: openGraph(config, runtime),
  rerank: config.RERANK_URL
    ? makeReranker(
        config.RERANK_URL,
        config.RERANK_TIMEOUT_MS,
        circuit('rerank', () => makeCircuit(3, 10_000)),
      )
    : undefined,
})

function openQdrant(config: Config, circuit: OpenContext['circuit']): QdrantSearch | undefined {
  if (config.KNOWLEDGE_SEARCH_BACKEND !== 'qdrant') return undefined
  const { QDRANT_URL: url, QDRANT_API_KEY: key, QDRANT_TIMEOUT_MS: timeoutMs } = config
  if (!url) throw new ConfigError('QDRANT_URL is required by KNOWLEDGE_SEARCH_BACKEND=qdrant.')
  return {
    client: makeQdrantClient({
      ...{ url, key, timeoutMs },
      circuit: circuit('qdrant', () => makeCircuit(3, 5_000)),
    }),
    collection: config.KNOWLEDGE_SEARCH_INDEX,
    alias: config.QDRANT_ALIAS,
    claimed: false,
  }
}

/** On workerd a socket ends with its request, and Bolt needs longer-lived connections. */
function openGraph(config: Config, runtime: OpenContext['runtime']): Graph | undefined {
  const { NEO4J_URL: url, NEO4J_USER: user, NEO4J_PASSWORD: password } = config
  if (!config.LEGAL_GRAPH_ENABLED || !url || runtime === 'workerd') return undefined
  const { NEO4J_DATABASE: database, NEO4J_TIMEOUT_MS: timeoutMs } = config
  return withCircuitBreaker(async () => {
    const { neo4jGraph } = await import('./graph/neo4j.node.ts')
    return neo4jGraph({ url, user, password, database, timeoutMs })
  })
}

export const { get, post, patch, del } = endpoints<Deps>()
