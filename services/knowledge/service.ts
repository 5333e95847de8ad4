import { defineService } from '../_kit/service.ts'
import { attachFile } from './attach-job.ts'
import { bases } from './bases.ts'
import { causes } from './causes.ts'
import { Config } from './config.ts'
import { open } from './deps.ts'
import { checkEmbeddings, embedBase } from './embed/embed-job.ts'
import { knowledgeFiles } from './files.ts'
import { graphs } from './graph/query.ts'
import { checkGraph, syncGraph } from './graph/sync.ts'
import { jobs } from './jobs/jobs.ts'
import { reindexing } from './jobs/reindex.ts'
import { reindexDocuments } from './jobs/reindex-job.ts'
import { sweepRuns } from './jobs/run.ts'
import { verify } from './law/verify.ts'
import { checkIndex, mendIndex } from './qdrant/check.ts'
import { aliased } from './qdrant/client.ts'
import { indexPending } from './qdrant/index-job.ts'
import { reading } from './read.ts'
import { orderBase } from './search/order-job.ts'
import { searches } from './search/search.ts'
import { layWords } from './seed/lay-words.ts'
import { structured } from './seed/structured.ts'
import { systemDocuments } from './seed/system-documents.ts'
import { upsert } from './upsert.ts'

export default defineService({
  name: 'knowledge-service',
  folder: 'knowledge',
  schema: 'knowledge',
  config: Config,
  open,
  endpoints: [
    ...upsert,
    ...searches,
    ...reading,
    ...graphs,
    ...structured,
    ...layWords,
    ...systemDocuments,
    ...verify,
    ...reindexing,
    ...bases,
    ...knowledgeFiles,
    ...jobs,
    ...causes,
  ],
  healthChecks: ({ embedder, engine, graph, rerank }) => ({
    ...(embedder && { embedding: embedder.check }),
    ...(engine && { search: () => aliased(engine.qdrant, engine.alias) }),
    ...(graph && { graph: graph.check }),
    ...(rerank && { rerank: rerank.check }),
  }),
  jobs: {
    embed: embedBase,
    order: orderBase,
    attach: attachFile,
    reindex: reindexDocuments,
    index: indexPending,
    mend: mendIndex,
    graph: syncGraph,
  },
  async sweep(given) {
    await sweepRuns(given.sql)
    await checkEmbeddings(given)
    await checkIndex(given)
    await checkGraph(given)
  },
})
