import * as z from 'zod'

export const Config = z.object({
  KNOWLEDGE_SEARCH_BACKEND: z
    .enum(['database', 'qdrant'])
    .default('database')
    .describe('Where searches go first. The database answers whenever the engine does not.'),
  QDRANT_URL: z.url().optional().describe('Backend `qdrant`: its address.'),
  QDRANT_API_KEY: z.string().optional().describe('Backend `qdrant`: its key, where it asks one.'),
  QDRANT_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60_000)
    .default(1_500)
    .describe('Backend `qdrant`: how long a search waits for it before the database answers.'),
  QDRANT_ALIAS: z
    .string()
    .regex(/^[\w-]{1,200}$/)
    .default('knowledge_chunks')
    .describe(
      'Backend `qdrant`: the alias that searches go by; it leads to the index once it is full.',
    ),
  KNOWLEDGE_SEARCH_INDEX: z
    .string()
    .regex(/^[\w-]{1,200}$/)
    .default('knowledge_chunks_v1')
    .describe(
      'Backend `qdrant`: the collection. A new name makes a new one, which takes over when it is full; needed when the embedding model changes.',
    ),
  KNOWLEDGE_SEARCH_CACHE_MB: z.coerce
    .number()
    .int()
    .min(1)
    .max(65_536)
    .default(256)
    .describe(
      'Memory for what searches in the database read lately, in MiB. What is asked for often takes one to two KiB a chunk.',
    ),
  KNOWLEDGE_LAY_WORDS: z
    .stringbool()
    .default(true)
    .describe(
      'Search by what statutes say for the words of a question, where a table was imported.',
    ),
  LEGAL_GRAPH_ENABLED: z
    .stringbool()
    .default(true)
    .describe('Use the graph database where one is configured.'),
  NEO4J_URL: z.url().optional().describe('The graph database: `bolt://…` or `neo4j://…`.'),
  NEO4J_USER: z.string().default('neo4j').describe('The graph database: who asks.'),
  NEO4J_PASSWORD: z
    .string()
    .optional()
    .describe('The graph database: the password; unset, it is asked without one.'),
  NEO4J_DATABASE: z.string().default('neo4j').describe('The graph database: which database of it.'),
  NEO4J_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60_000)
    .default(2_000)
    .describe('How long a search waits for the graph database before it goes on without.'),
  RERANK_URL: z
    .url()
    .optional()
    .describe('A rerank service: hybrid searches take their order from it.'),
  RERANK_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60_000)
    .default(2_000)
    .describe('How long a search waits for the rerank service before it keeps its own order.'),
  OPENAI_API_KEY: z
    .string()
    .optional()
    .describe('The key of the embedding API, where it asks one.'),
  OPENAI_BASE_URL: z
    .url()
    .optional()
    .describe('An OpenAI-compatible embedding API: `https://api.openai.com/v1`.'),
  KNOWLEDGE_EMBEDDING_MODEL: z
    .string()
    .optional()
    .describe('The embedding model; without it search goes by words alone.'),
  KNOWLEDGE_EMBEDDING_DIMS: z.coerce
    .number()
    .int()
    .min(1)
    .max(16_000)
    .optional()
    .describe('The dimensions of its vectors; those of another size are refused.'),
  KNOWLEDGE_EMBEDDING_QUERY_PREFIX: z
    .string()
    .default('')
    .describe('What the model wants before a question, where it tells questions from texts.'),
  KNOWLEDGE_EMBEDDING_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(120_000)
    .default(10_000)
    .describe('How long a search waits for the vector of its question.'),
})
export type Config = z.output<typeof Config>
