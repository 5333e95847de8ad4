import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { newId } from '../../_kit/ids.ts'
import { fragment, type Sql, textArray } from '../../_kit/sql/sql.ts'
import { chunked } from '../chunk/chunk.ts'
import { post } from '../deps.ts'
import { Head, NewChunk, refuseTwins } from '../document.ts'
import { enqueueSync } from '../graph/sync.ts'
import { type Prepared, prepared } from '../prepared.ts'
import { bodyLimit } from '../upsert.ts'
import { take, write } from '../write.ts'
import { digestOf } from './reconcile.ts'
import { Counts, Source, trial } from './records.ts'

const SystemDocument = Head.extend({
  content: z.string().min(1).max(20_000_000).optional(),
  chunks: z.array(NewChunk).max(20_000).optional(),
})
  .refine(({ content, chunks }) => (content === undefined) !== (chunks === undefined), {
    path: ['content'],
    message: 'Give either content or chunks.',
  })
  .meta({ oneOf: [{ required: ['content'] }, { required: ['chunks'] }] })

const Import = z.object({
  kb: z.object({
    name: z.string().regex(/^sys_\w{1,190}$/, 'A system base is named sys_…'),
    description: z.string().max(2_000).nullish(),
  }),
  documents: z.array(SystemDocument).max(10_000),
  ...trial,
  source: Source.optional(),
})

export const systemDocuments = [
  post(
    '/api/v1/internal/seed/system-kb-documents/import',
    {
      summary: 'Import documents into a system base',
      description:
        'Makes the base. Content is cut along its own structure: parts, chapters, sections, articles.',
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
      refuseTwins(
        documents.map(({ document_id }) => document_id),
        (index) => `documents.${index}.document_id`,
      )
      const ready = await Promise.all(documents.map(readyOf))
      const counts = await c.env.sql.transaction(async (sql) => {
        const base = dry_run ? await baseNamed(sql, kb.name) : await madeBase(sql, kb)
        const before = base ? await hashesOf(sql, base.no, ready, source) : new Map()
        const plan = planOf(ready, before, source?.package_id ?? null)
        if (base && !dry_run) {
          await write(c.env, sql, base, [...plan.created, ...plan.updated], source?.package_id)
          await enqueueSync(c.env, sql)
          await take(
            c.env,
            sql,
            base,
            fragment`document_id in (select unnest(${textArray(plan.deleted)}))`,
          )
        }
        const going = [...plan.updated.map((each) => each.document_id), ...plan.deleted]
        return { ...plan, replaced: going.map((id) => before.get(id)) }
      })
      return ok(c, {
        created: counts.created.length,
        updated: counts.updated.length,
        unchanged: ready.length - counts.created.length - counts.updated.length,
        deleted: counts.deleted.length,
        ...(dry_run && digest && { digest: await digestOf(counts.replaced) }),
      })
    },
  ),
]

async function readyOf({ content, chunks, ...head }: z.output<typeof SystemDocument>) {
  if (chunks) return prepared({ ...head, chunks })
  const cut = chunked(content!)
  return prepared({ ...head, chunks: cut.chunks }, cut.sections)
}

const Base = z.object({ no: z.int() })

const baseNamed = (sql: Sql, name: string) =>
  sql.row(Base)`
    select no from knowledge.bases where organization_id is null and name = ${name}`

const madeBase = (sql: Sql, { name, description }: z.output<typeof Import>['kb']) =>
  sql.row(Base)`
    insert into knowledge.bases as kept (id, name, description)
    values (${newId()}, ${name}, ${description ?? ''})
    on conflict (organization_id, name) do update
      set description = coalesce(${description ?? null}::text, kept.description)
    returning no`

const Stored = z.object({
  document_id: z.string(),
  hash: z.string(),
  package_id: z.string().nullable(),
})

async function hashesOf(
  sql: Sql,
  base: number,
  ready: readonly Prepared[],
  source: Source | undefined,
) {
  const rows = await sql.rows(Stored)`
    select document_id, hash, package_id from knowledge.documents
    where base = ${base} and (package_id = ${source?.package_id ?? null}::text
      or document_id in (select unnest(${textArray(ready.map(({ document_id }) => document_id))})))`
  return new Map(rows.map((row) => [row.document_id, row]))
}

/** What an import would do: a document is the same when all of it is, and its package. */
function planOf(
  ready: readonly Prepared[],
  before: ReadonlyMap<string, z.infer<typeof Stored>>,
  packageId: string | null,
) {
  const named = new Set(ready.map(({ document_id }) => document_id))
  const isSame = ({ document_id, hash }: Prepared) => {
    const old = before.get(document_id)
    return old?.hash === hash && old.package_id === packageId
  }
  return {
    created: ready.filter(({ document_id }) => !before.has(document_id)),
    updated: ready.filter((one) => before.has(one.document_id) && !isSame(one)),
    deleted: packageId === null ? [] : [...before.keys()].filter((id) => !named.has(id)),
  }
}
