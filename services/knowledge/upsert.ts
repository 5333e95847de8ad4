import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { ExternalId } from '../_kit/fields.ts'
import { fragment } from '../_kit/sql/sql.ts'
import { KbId, loadWritableBase, loadWritableBases, matchesKbId } from './base.ts'
import { checkChunks } from './check-chunks.ts'
import { post } from './deps.ts'
import { NewDocument, rejectDuplicates } from './document.ts'
import { prepareDocument } from './prepare.ts'
import { removeDocuments, writeDocuments } from './write-documents.ts'

export const bodyLimit = 32 * 1024 * 1024

const Batch = z.object({ documents: z.array(NewDocument).max(10_000) })

const IndexState = z.object({
  status: z
    .enum(['ok', 'queued', 'disabled'])
    .describe('State of vectors and Qdrant. Keyword search in the database is up to date at once.'),
})

const UpsertResult = z.object({ documents: z.int(), chunks: z.int(), index: IndexState })

export const upsert = [
  post(
    '/api/v1/internal/atomic/batch-upsert',
    {
      summary: 'Upsert documents with their chunks',
      description:
        'Atomic. A document is replaced as a whole. Chunks with unchanged content are not embedded again.',
      body: Batch,
      example: {
        documents: [
          {
            kb_id: '0190b8f4-0000-7000-8000-000000000000',
            document_id: 'contract-law',
            doc_type: 'statute',
            title: 'Contract Law',
            metadata: { effective_from: '2021-01-01' },
            chunks: [{ chunk_index: 0, section_id: 'Art. 1', content: 'A contract binds.' }],
          },
        ],
      },
      bodyLimit,
      responses: { 200: UpsertResult },
      faults: ['FORBIDDEN', 'NOT_FOUND'],
    },
    async (c, { body: { documents } }) => {
      checkChunks(documents, c.env.embedder?.dims)
      const bases = await loadWritableBases(
        c.env.sql,
        c.var.caller,
        documents.map(({ kb_id }) => kb_id),
      )
      const prepared = await Promise.all(
        documents.map(async (document) => ({
          base: bases.find((base) => matchesKbId(base, document.kb_id))!,
          document: await prepareDocument(document),
        })),
      )
      rejectDuplicates(
        prepared.map(({ base, document }) => `${base.no} ${document.document_id}`),
        (index) => `documents.${index}.document_id`,
      )
      let queued = false
      await c.env.sql.transaction(async (sql) => {
        for (const base of documents.length > 0 ? bases : []) {
          const own = prepared.filter((each) => each.base === base).map(({ document }) => document)
          queued = (await writeDocuments(c.env, sql, base, own)) || queued
        }
      })
      const chunks = documents.reduce((sum, { chunks }) => sum + chunks.length, 0)
      const status = queued ? 'queued' : c.env.embedder ? 'ok' : 'disabled'
      return ok(c, { documents: documents.length, chunks, index: { status } })
    },
  ),

  post(
    '/api/v1/internal/atomic/delete-by-file',
    {
      summary: 'Delete the documents of a file',
      body: z.object({ kb_id: KbId, file_id: ExternalId }),
      responses: { 200: z.object({ documents: z.int(), chunks: z.int() }) },
      faults: ['FORBIDDEN', 'NOT_FOUND'],
    },
    async (c, { body }) => {
      const base = await loadWritableBase(c.env.sql, c.var.caller, body.kb_id)
      const removed = await c.env.sql.transaction(async (sql) => {
        return removeDocuments(c.env, sql, base, fragment`file_id = ${body.file_id}`)
      })
      return ok(c, removed)
    },
  ),
]
