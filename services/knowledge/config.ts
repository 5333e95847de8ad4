import * as z from 'zod'

export const Config = z.object({
  KNOWLEDGE_SEARCH_BACKEND: z
    .enum(['database', 'qdrant'])
    .default('database')
    .describe('Search backend. The database is the fallback when Qdrant fails.'),
  QDRANT_URL: z.url().optional().describe('Backend `qdrant`: URL of the server.'),
  QDRANT_API_KEY: z
    .string()
    .optional()
    .describe('Backend `qdrant`: API key, if the server requires one.'),
  QDRANT_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60_000)
    .default(1_500)
    .describe('Backend `qdrant`: timeout of a search, in ms, before the database is used.'),
  QDRANT_ALIAS: z
    .string()
    .regex(/^[\w-]{1,200}$/)
    .default('knowledge_chunks')
    .describe(
      'Backend `qdrant`: alias that searches use. It is switched to the collection once that is complete.',
    ),
  KNOWLEDGE_SEARCH_INDEX: z
    .string()
    .regex(/^[\w-]{1,200}$/)
    .default('knowledge_chunks_v1')
    .describe(
      'Backend `qdrant`: name of the collection. A new name creates a new collection, which replaces the old one when it is complete. Required when the embedding model changes.',
    ),
  KNOWLEDGE_SEARCH_CACHE_MB: z.coerce
    .number()
    .int()
    .min(1)
    .max(65_536)
    .optional()
    .describe(
      'Memory of the search cache in MiB. A frequently searched chunk takes 1–2 KiB. Default: an eighth of the memory of the process, 32 to 2048.',
    ),
  KNOWLEDGE_LAY_WORDS: z
    .stringbool()
    .default(true)
    .describe('Expand queries by the imported lay words.'),
  LEGAL_GRAPH_ENABLED: z
    .stringbool()
    .default(true)
    .describe('Use the graph database if NEO4J_URL is set.'),
  NEO4J_URL: z.url().optional().describe('URL of the graph database: `bolt://…` or `neo4j://…`.'),
  NEO4J_USER: z.string().default('neo4j').describe('User of the graph database.'),
  NEO4J_PASSWORD: z
    .string()
    .optional()
    .describe('Password of the graph database. Default: no authentication.'),
  NEO4J_DATABASE: z.string().default('neo4j').describe('Database name in the graph database.'),
  NEO4J_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60_000)
    .default(2_000)
    .describe('Timeout of a graph query in ms.'),
  RERANK_URL: z.url().optional().describe('URL of a rerank service for hybrid searches.'),
  RERANK_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60_000)
    .default(2_000)
    .describe('Timeout of the rerank service in ms.'),
  OPENAI_API_KEY: z
    .string()
    .optional()
    .describe('API key of the embedding API, if it requires one.'),
  OPENAI_BASE_URL: z
    .url()
    .optional()
    .describe('URL of an OpenAI-compatible embedding API. Default: `https://api.openai.com/v1`.'),
  KNOWLEDGE_EMBEDDING_MODEL: z
    .string()
    .optional()
    .describe('Embedding model. Without it searches use keywords only.'),
  KNOWLEDGE_EMBEDDING_DIMS: z.coerce
    .number()
    .int()
    .min(1)
    .max(16_000)
    .optional()
    .describe('Dimensions of the vectors. Others are rejected.'),
  KNOWLEDGE_EMBEDDING_QUERY_PREFIX: z
    .string()
    .default('')
    .describe('Prefix of queries, for models that distinguish queries from texts.'),
  KNOWLEDGE_EMBEDDING_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(120_000)
    .default(10_000)
    .describe('Timeout of a query embedding in ms.'),
})
export type Config = z.output<typeof Config>
