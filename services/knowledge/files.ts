import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { notFound } from '../_kit/fault.ts'
import { ExternalId, Id, JsonObject, Time } from '../_kit/fields.ts'
import { organization } from '../_kit/identity.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, json } from '../_kit/sql/sql.ts'
import { loadBase, loadWritableBase, requireWriter } from './base.ts'
import { ById, path } from './bases.ts'
import { del, get, post } from './deps.ts'
import { DocType, Title } from './document.ts'
import { StartedJob, startJob } from './jobs/job.ts'
import { removeDocuments } from './write-documents.ts'

const KnowledgeFile = z
  .object({
    kb_id: z.string(),
    file_id: z.string(),
    title: z.string().nullable(),
    doc_type: z.string(),
    metadata: JsonObject,
    status: z.enum(['PENDING', 'INDEXED', 'FAILED']),
    error: z.string().nullable(),
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'KnowledgeFile' })

const Attach = z.object({
  file_id: Id,
  title: Title.optional().describe('Default: name of the file.'),
  doc_type: DocType.default('document'),
  metadata: JsonObject.default({}),
})

const files = `${path}/:id/files`
const FileParams = z.object({ id: Id, fileId: ExternalId })

/** Proof that the caller may read the file. */
const VisibleFile = z.object({ fileId: z.string() })

export const knowledgeFiles = [
  post(
    files,
    {
      summary: 'Attach a file to a knowledge base',
      description:
        'A job parses, splits and indexes the file. Attaching the same file again reindexes it.',
      guard: organization,
      params: ById,
      body: Attach,
      responses: { 202: StartedJob.extend({ kb_id: z.string(), file_id: z.string() }) },
      faults: ['FORBIDDEN', 'UNAUTHENTICATED', 'UPSTREAM_UNAVAILABLE'],
    },
    async (c, { params, body }) => {
      const { sql, files } = c.env
      const { caller, requestId, traceparent } = c.var
      requireWriter(caller)
      const base = await loadWritableBase(sql, caller, params.id)
      const from = { headers: c.req.raw.headers, requestId, traceparent }
      await files.request(VisibleFile, `/api/v1/files/${body.file_id}`, { from })
      const started = await sql.transaction(async (sql) => {
        await sql`
          insert into knowledge.files (base, file_id, title, doc_type, metadata, status)
          values (${base.no}, ${body.file_id}, ${body.title ?? null}, ${body.doc_type},
            ${json(body.metadata)}, 'PENDING')
          on conflict (base, file_id) do update set title = excluded.title,
            doc_type = excluded.doc_type, metadata = excluded.metadata, status = 'PENDING',
            error = null, updated_at = now()`
        return startJob(sql, {
          kind: 'attach',
          organization: base.organization_id,
          base: base.no,
          fileId: body.file_id,
          payload: { base: base.no, fileId: body.file_id, organization: base.organization_id },
        })
      })
      return ok(c, { ...started, kb_id: base.id, file_id: body.file_id }, 202)
    },
  ),

  get(
    files,
    {
      summary: 'List the files of a knowledge base',
      guard: organization,
      params: ById,
      query: PageQuery,
      responses: { 200: pageSchema(KnowledgeFile) },
    },
    async (c, { params, query }) => {
      const base = await loadBase(c.env.sql, c.var.caller, params.id)
      const from = fragment`knowledge.files where base = ${base.no}`
      const columns = fragment`${base.id}::text as kb_id, file_id, title, doc_type, metadata, status,
        error, created_at, updated_at`
      const order = fragment`created_at desc, file_id desc`
      return ok(c, await selectPage(c.env.sql, KnowledgeFile, query, { from, columns, order }))
    },
  ),

  del(
    `${files}/:fileId`,
    {
      summary: 'Remove a file and its documents from a knowledge base',
      guard: organization,
      params: FileParams,
      responses: { 200: z.object({ documents: z.int(), chunks: z.int() }) },
      faults: ['FORBIDDEN'],
    },
    async (c, { params: { id, fileId } }) => {
      requireWriter(c.var.caller)
      const base = await loadWritableBase(c.env.sql, c.var.caller, id)
      const removed = await c.env.sql.transaction(async (sql) => {
        const [file] = await sql`
          delete from knowledge.files where base = ${base.no} and file_id = ${fileId}
          returning file_id`
        const removed = await removeDocuments(c.env, sql, base, fragment`file_id = ${fileId}`)
        if (!file && removed.documents === 0) throw notFound(`file ${fileId}`)
        return removed
      })
      return ok(c, removed)
    },
  ),
]
