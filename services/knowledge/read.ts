import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { notFound } from '../_kit/fault.ts'
import { ExternalId, JsonObject } from '../_kit/fields.ts'
import { organization } from '../_kit/identity.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, type Sql } from '../_kit/sql/sql.ts'
import { type BaseRow, KbId, loadBase } from './base.ts'
import { ById, path } from './bases.ts'
import { get, post } from './deps.ts'
import { Document, SectionId } from './document.ts'
import { documentMetadataOn } from './law/law-metadata.ts'
import { today } from './search/query/request.ts'

const Chunk = z
  .object({
    chunk_index: z.int(),
    section_id: z.string().nullable(),
    content: z.string(),
    metadata: JsonObject,
  })
  .meta({ id: 'KnowledgeChunk' })

const Section = z
  .object({ section_id: z.string(), title: z.string(), parent_id: z.string().nullable() })
  .meta({ id: 'KnowledgeSection' })

const FullDocument = Document.extend({
  sections: z.array(Section).describe('Sections in document order.'),
  content: z.string(),
  chunks: z.array(Chunk),
}).meta({ id: 'WholeDocument' })

const DocumentId = z.object({ kb_id: KbId, document_id: ExternalId })

const columns = () => fragment`document_id, file_id, doc_type, title,
  ${documentMetadataOn(today())} as metadata, created_at, updated_at`

export const reading = [
  post(
    '/api/v1/internal/atomic/document',
    {
      summary: 'Get a document with its content',
      body: DocumentId,
      responses: { 200: FullDocument },
      faults: ['NOT_FOUND'],
    },
    async (c, { body }) => {
      const base = await loadBase(c.env.sql, c.var.caller, body.kb_id)
      return ok(c, await loadDocument(c.env.sql, base, body.document_id))
    },
  ),

  post(
    '/api/v1/internal/atomic/section',
    {
      summary: 'Get a section with its content',
      description: 'Includes its subsections.',
      body: DocumentId.extend({ section_id: SectionId }),
      responses: { 200: FullDocument.extend({ section_id: z.string() }) },
      faults: ['NOT_FOUND'],
    },
    async (c, { body: { kb_id, document_id, section_id } }) => {
      const base = await loadBase(c.env.sql, c.var.caller, kb_id)
      const section = await loadDocument(c.env.sql, base, document_id, section_id)
      return ok(c, { ...section, section_id })
    },
  ),

  get(
    `${path}/:id/documents`,
    {
      summary: 'List the documents of a knowledge base',
      guard: organization,
      params: ById,
      query: PageQuery,
      responses: { 200: pageSchema(Document) },
    },
    async (c, { params, query }) => {
      const base = await loadBase(c.env.sql, c.var.caller, params.id)
      const from = fragment`knowledge.documents document
        where base = ${base.no} and title_key is not null`
      const page = { from, columns: fragment`${base.id}::text as kb_id, ${columns()}` }
      return ok(
        c,
        await selectPage(c.env.sql, Document, query, {
          ...page,
          order: fragment`title_key, document_id`,
        }),
      )
    },
  ),
]

const StoredDocument = Document.omit({ kb_id: true }).extend({ sections: z.array(Section) })

async function loadDocument(sql: Sql, base: BaseRow, documentId: string, sectionId?: string) {
  const document = await sql.row(StoredDocument)`
    select ${columns()}, sections from knowledge.documents document
    where base = ${base.no} and document_id = ${documentId}`
  if (!document) throw notFound(`document ${documentId}`)
  const sectionCondition =
    sectionId === undefined
      ? fragment``
      : fragment` and (section_id = ${sectionId}
    or section_id ^@ ${`${sectionId}/`})`
  const chunks = await sql.rows(Chunk)`
    select chunk_index, section_id, content, metadata from knowledge.chunks
    where base = ${base.no} and document_id = ${documentId} ${sectionCondition} order by chunk_index`
  if (sectionId !== undefined && chunks.length === 0) throw notFound(`section ${sectionId}`)
  const content = chunks.map(({ content }) => content).join('\n')
  return { kb_id: base.id, ...document, content, chunks }
}
