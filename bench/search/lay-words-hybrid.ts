import type { MigrationDriver } from '../../services/_kit/sql/sql.ts'
import { layWordLines } from './lay-words.ts'
import { measureQuality } from './quality.ts'
import type { Corpus } from './statutes.ts'
import { openKnowledge } from './subject.ts'

/**
 * Table rows of hybrid-search with the encoder at BENCH_EMBEDDING_URL, an OpenAI-compatible API
 * (`http://127.0.0.1:18081/v1`). Embeds all articles first, which takes long.
 */
export async function hybridLines(driver: MigrationDriver, corpus: Corpus): Promise<string[][]> {
  const url = process.env.BENCH_EMBEDDING_URL
  if (!url) {
    const why = 'skipped: BENCH_EMBEDDING_URL names no encoder'
    console.warn(`hybrid-search ${why}`)
    return [['hybrid-search', why, '']]
  }
  const subject = await openKnowledge(driver, {
    OPENAI_BASE_URL: url,
    KNOWLEDGE_EMBEDDING_MODEL: process.env.BENCH_EMBEDDING_MODEL ?? 'bge-small-zh',
    KNOWLEDGE_EMBEDDING_TIMEOUT_MS: '60000',
  })
  // The sweep enqueues the embedding of chunks without a vector.
  await subject.sweep()
  await subject.settle()
  const search = (query: string) => subject.search(query, 100, 'hybrid')
  const plain: string[][] = []
  for (const { query } of corpus.questions) plain.push(await search(query))
  const { ndcg10, recall100 } = measureQuality(corpus.questions, plain)
  return [
    ['hybrid-search', ndcg10.toFixed(3), recall100.toFixed(3)],
    ...(await layWordLines(subject, search, corpus, plain, 'hybrid-search')),
  ]
}
