import { deliverOutbox } from '../_kit/event-outbox.ts'
import { defineService } from '../_kit/service.ts'
import { attachFile } from './attach-job.ts'
import { bases } from './bases.ts'
import { causes } from './causes.ts'
import { Config } from './config.ts'
import { open } from './deps.ts'
import { embedBase, enqueueMissingEmbeddings } from './embed/embed-job.ts'
import { deleteOrphanedVectors } from './embed/vectors.ts'
import { erasure } from './erasure.ts'
import { knowledgeFiles } from './files.ts'
import { graphs } from './graph/query.ts'
import { enqueueHourlySync, syncGraph } from './graph/sync.ts'
import { failDeadJobs } from './jobs/job.ts'
import { jobs } from './jobs/jobs.ts'
import { reindexing } from './jobs/reindex.ts'
import { reindexDocuments } from './jobs/reindex-job.ts'
import { laws } from './law/law.ts'
import { verify } from './law/verify.ts'
import { checkQdrant, repairQdrant } from './qdrant/check.ts'
import { aliasTarget } from './qdrant/client.ts'
import { deliverChanges } from './qdrant/index-job.ts'
import { reading } from './read.ts'
import { mergeSegments } from './search/index/merge-job.ts'
import { searches } from './search/search.ts'
import { layWords } from './seed/lay-words.ts'
import { structured } from './seed/structured.ts'
import { systemDocuments } from './seed/system-documents.ts'
import { unownedDocuments } from './seed/unowned-documents.ts'
import { consolidateShards, enqueueConsolidation } from './shards/consolidate-job.ts'
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
    ...unownedDocuments,
    ...verify,
    ...laws,
    ...reindexing,
    ...bases,
    ...knowledgeFiles,
    ...jobs,
    ...erasure,
    ...causes,
  ],
  healthChecks: ({ embedder, qdrant, graph, rerank }) => ({
    ...(embedder && { embedding: embedder.check }),
    ...(qdrant && { search: () => aliasTarget(qdrant.client, qdrant.alias) }),
    ...(graph && { graph: graph.check }),
    ...(rerank && { rerank: rerank.check }),
  }),
  jobs: {
    embed: embedBase,
    merge: mergeSegments,
    consolidate: consolidateShards,
    attach: attachFile,
    reindex: reindexDocuments,
    index: deliverChanges,
    repair: repairQdrant,
    graph: syncGraph,
  },
  tick: deliverOutbox,
  async sweep(context) {
    await failDeadJobs(context.sql)
    await deleteOrphanedVectors(context.sql)
    await enqueueMissingEmbeddings(context)
    await checkQdrant(context)
    await enqueueHourlySync(context)
    await enqueueConsolidation(context.sql)
  },
})
