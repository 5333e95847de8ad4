import * as z from 'zod'
import { chunkText } from '../../_kit/chunk/chunk.ts'
import { ok } from '../../_kit/endpoint.ts'
import { newId } from '../../_kit/ids.ts'
import { fragment, type Sql, textArray } from '../../_kit/sql/sql.ts'
import { checkChunks } from '../check-chunks.ts'
import { post } from '../deps.ts'
import { DocumentFields, NewChunk, rejectDuplicates } from '../document.ts'
import { enqueueSync } from '../graph/sync.ts'
import { type PreparedDocument, prepareDocument } from '../prepare.ts'
import { bodyLimit } from '../upsert.ts'
import { removeDocuments, writeDocuments } from '../write-documents.ts'
import { digestRecords } from './reconcile.ts'
import { Counts, dryRunFields, Source } from './records.ts'

const SystemDocument = DocumentFields.extend({
  content: z.string().min(1).max(20_000_000).optional(),
  chunks: z.array(NewChunk).max(20_000).optional(),
})
  .refine(({ content, chunks }) => (content === undefined) !== (chunks === undefined), {
    path: ['content'],
    message: 'Exactly one of content and chunks is required.',
  })
  .meta({ oneOf: [{ required: ['content'] }, { required: ['chunks'] }] })

const Import = z.object({
  kb: z.object({
    name: z.string().regex(/^sys_\w{1,190}$/, 'Must begin with sys_.'),
    description: z.string().max(2_000).nullish(),
  }),
  documents: z.array(SystemDocument).max(10_000),
  ...dryRunFields,
  source: Source.optional(),
})

export const systemDocuments = [
  post(
    '/api/v1/internal/seed/system-kb-documents/import',
    {
      summary: 'Import documents into a system base',
      description:
        'Creates the base if it does not exist. Content is split by its structure: parts, chapters, sections, articles.',
      body: Import,
      bodyLimit,
      example: {
        kb: { name: 'sys_laws' },
        documents: [
          {
            document_id: 'loans',
            doc_type: 'statute',
            title: 'Rules on Loans',
            content: 'Article 1 A loan is repaid.\nArticle 2 Interest is agreed.',
          },
        ],
        dry_run: true,
      },
      responses: { 200: Counts },
    },
    async (c, { body: { kb, documents, dry_run, digest, source } }) => {
      rejectDuplicates(
        documents.map(({ document_id }) => document_id),
        (index) => `documents.${index}.document_id`,
      )
      checkChunks(documents, c.env.embedder?.dims)
      const prepared = await Promise.all(documents.map(prepareContent))
      const plan = await c.env.sql.transaction(async (sql) => {
        const base = dry_run ? await findBase(sql, kb.name) : await upsertBase(sql, kb)
        const existing = base ? await loadHashes(sql, base.no, prepared, source) : new Map()
        const plan = planImport(prepared, existing, source?.package_id ?? null)
        const origin = { packageId: source?.package_id ?? null }
        if (base && !dry_run) {
          await writeDocuments(c.env, sql, base, [...plan.created, ...plan.updated], origin)
          await enqueueSync(c.env, sql)
          await removeDocuments(
            c.env,
            sql,
            base,
            fragment`document_id in (select unnest(${textArray(plan.deleted)}))`,
            origin,
          )
        }
        const replacedIds = [...plan.updated.map((each) => each.document_id), ...plan.deleted]
        return { ...plan, replaced: replacedIds.map((id) => existing.get(id)) }
      })
      return ok(c, {
        created: plan.created.length,
        updated: plan.updated.length,
        unchanged: prepared.length - plan.created.length - plan.updated.length,
        deleted: plan.deleted.length,
        ...(dry_run && digest && { digest: await digestRecords(plan.replaced) }),
      })
    },
  ),
]

async function prepareContent({ content, chunks, ...head }: z.output<typeof SystemDocument>) {
  if (chunks) return prepareDocument({ ...head, chunks })
  const cut = chunkText(content!)
  return prepareDocument({ ...head, chunks: cut.chunks }, cut.sections)
}

const Base = z.object({ no: z.int() })

const findBase = (sql: Sql, name: string) =>
  sql.row(Base)`
    select no from knowledge.bases where organization_id is null and name = ${name}`

const upsertBase = (sql: Sql, { name, description }: z.output<typeof Import>['kb']) =>
  sql.row(Base)`
    insert into knowledge.bases as kept (id, name, description)
    values (${newId()}, ${name}, ${description ?? ''})
    on conflict (organization_id, name) do update
      set description = coalesce(${description ?? null}::text, kept.description)
    returning no`

const StoredHash = z.object({
  document_id: z.string(),
  hash: z.string(),
  package_id: z.string().nullable(),
})

async function loadHashes(
  sql: Sql,
  base: number,
  prepared: readonly PreparedDocument[],
  source: Source | undefined,
) {
  const rows = await sql.rows(StoredHash)`
    select document_id, hash, package_id from knowledge.documents
    where base = ${base} and (package_id = ${source?.package_id ?? null}::text
      or document_id in (select unnest(${textArray(prepared.map(({ document_id }) => document_id))})))`
  return new Map(rows.map((row) => [row.document_id, row]))
}

/** Plans an import. A document is unchanged if its hash and its package are the same. */
function planImport(
  prepared: readonly PreparedDocument[],
  existing: ReadonlyMap<string, z.infer<typeof StoredHash>>,
  packageId: string | null,
) {
  const importedIds = new Set(prepared.map(({ document_id }) => document_id))
  const isSame = ({ document_id, hash }: PreparedDocument) => {
    const old = existing.get(document_id)
    return old?.hash === hash && old.package_id === packageId
  }
  return {
    created: prepared.filter(({ document_id }) => !existing.has(document_id)),
    updated: prepared.filter((one) => existing.has(one.document_id) && !isSame(one)),
    deleted: packageId === null ? [] : [...existing.keys()].filter((id) => !importedIds.has(id)),
  }
}
