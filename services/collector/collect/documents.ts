import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { Fault, invalid } from '../../_kit/fault.ts'
import { Id } from '../../_kit/fields.ts'
import { sha256Hex } from '../../_kit/hash.ts'
import { newId } from '../../_kit/ids.ts'
import { FetchError } from '../../_kit/outbound/address.ts'
import { PageQuery, pageSchema, selectPage } from '../../_kit/page.ts'
import { fragment } from '../../_kit/sql/sql.ts'
import { get, post } from '../deps.ts'
import { parsePage } from '../fetch/page.ts'
import { manageGuard, readGuard } from '../permission.ts'
import {
  CollectedDocument,
  DocumentWithContent,
  listColumns,
  loadDocument,
  maxTextLength,
} from './document.ts'
import { importDocument } from './import-document.ts'
import { inOrganization } from './scope.ts'
import { isSystemBase, loadSource } from './source.ts'
import { BySource, path as sources } from './sources.ts'

const path = '/api/v1/collector/documents'
const ByDocument = z.object({ document_id: Id })

const UploadBody = z.object({
  title: z.string().min(1).max(500),
  content: z.string().min(1).max(maxTextLength),
  content_type: z.enum(['text/plain', 'text/html']).default('text/plain'),
})

export const documents = [
  post(
    `${sources}/:source_id/documents`,
    {
      summary: 'Add a document to an upload source',
      description: 'The same text is stored once.',
      guard: manageGuard,
      params: BySource,
      body: UploadBody,
      bodyLimit: 8 * 1024 * 1024,
      responses: { 201: CollectedDocument },
      idempotencyKey: true,
    },
    async (c, { params, body }) => {
      const { sql } = c.env
      const source = await loadSource(sql, params.source_id, inOrganization(c))
      if (source.kind !== 'upload') {
        throw new Fault('CONFLICT', 'Only a source of kind upload accepts documents.')
      }
      const content = body.content_type === 'text/html' ? htmlText(body.content) : body.content
      const sha256 = await sha256Hex(content)
      const created = await sql.row(CollectedDocument)`
        insert into collector.documents
          (id, organization_id, source_id, url, title, sha256, status, content, fetched_at)
        values (${newId()}, ${source.organization_id}, ${source.id}, ${`urn:sha256:${sha256}`},
          ${body.title}, ${sha256}, 'NEW', ${content}, now())
        on conflict (source_id, url) do update set title = excluded.title returning ${listColumns}`
      return ok(c, created, 201)
    },
  ),

  get(
    path,
    {
      summary: 'List documents',
      guard: readGuard,
      query: PageQuery.extend({
        source_id: Id.optional(),
        status: CollectedDocument.shape.status.optional(),
      }),
      responses: { 200: pageSchema(CollectedDocument) },
    },
    async (c, { query }) => {
      const source = query.source_id ? fragment`and source_id = ${query.source_id}` : fragment``
      const status = query.status ? fragment`and status = ${query.status}` : fragment``
      const from = fragment`collector.documents where ${inOrganization(c)} ${source} ${status}`
      const order = fragment`created_at desc, id desc`
      return ok(
        c,
        await selectPage(c.env.sql, CollectedDocument, query, {
          columns: listColumns,
          from,
          order,
        }),
      )
    },
  ),

  get(
    `${path}/:document_id`,
    {
      summary: 'Get a document with its text',
      guard: readGuard,
      params: ByDocument,
      responses: { 200: DocumentWithContent },
    },
    async (c, { params }) =>
      ok(c, await loadDocument(c.env.sql, params.document_id, inOrganization(c))),
  ),

  post(
    `${path}/:document_id/import`,
    {
      summary: 'Import a document into the knowledge base of its source',
      guard: manageGuard,
      params: ByDocument,
      responses: { 200: CollectedDocument },
      faults: ['CONFLICT', 'FORBIDDEN', 'UPSTREAM_UNAVAILABLE'],
    },
    async (c, { params }) => {
      const { sql } = c.env
      const document = await loadDocument(sql, params.document_id, inOrganization(c))
      const { kb_id } = await loadSource(sql, document.source_id, inOrganization(c))
      if (kb_id === null)
        throw new Fault('CONFLICT', 'The source has no knowledge base. Set its kb_id.')
      if (isSystemBase(kb_id)) {
        throw new Fault('FORBIDDEN', 'System bases are written by seed packages only.')
      }
      if (document.sha256 === null)
        throw new Fault(
          'CONFLICT',
          'The document has no content: it was never fetched successfully.',
        )
      const { requestId, traceparent } = c.var
      const from = { headers: c.req.raw.headers, requestId, traceparent }
      await importDocument(c.env, kb_id, document, from)
      return ok(
        c,
        CollectedDocument.parse(await loadDocument(sql, params.document_id, inOrganization(c))),
      )
    },
  ),
]

function htmlText(html: string): string {
  try {
    return parsePage(html).text
  } catch (thrown) {
    if (!(thrown instanceof FetchError)) throw thrown
    throw invalid([{ path: 'content', message: thrown.message }])
  }
}
