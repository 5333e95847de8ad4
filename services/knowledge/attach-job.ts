import * as z from 'zod'
import { chunkText } from '../_kit/chunk/chunk.ts'
import type { ServiceContext } from '../_kit/context.ts'
import { Fault } from '../_kit/fault.ts'
import { JsonObject } from '../_kit/fields.ts'
import { enqueue, type JobContext } from '../_kit/jobs.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import type { Deps } from './deps.ts'
import { finishJob, reportProgress } from './jobs/job.ts'
import { prepareDocument } from './prepare.ts'
import { writeDocuments } from './write-documents.ts'

const Payload = z.object({
  jobId: z.string(),
  base: z.int(),
  fileId: z.string(),
  organization: z.string(),
  /** Number of polls of the parse status so far. */
  polls: z.int().default(0),
})
type Payload = z.output<typeof Payload>

const AttachedFile = z.object({
  title: z.string().nullable(),
  doc_type: z.string(),
  metadata: JsonObject,
})
const ParseState = z.object({ parseStatus: z.string() })
const File = z.object({ filename: z.string().nullish(), parseError: z.string().nullish() })
const Text = z.object({ text: z.string() })

/** About half an hour: the delay between polls grows to ten seconds. */
const maxPolls = 200

/** Job that parses, splits and indexes a file. A parse failure is final; other failures are retried. */
export async function attachFile(context: ServiceContext<Deps>, payload: unknown, _: JobContext) {
  const { sql, files } = context
  const job = Payload.parse(payload)
  const { base, fileId, jobId } = job
  const attached = await sql.row(AttachedFile)`
    select title, doc_type, metadata from knowledge.files
    where base = ${base} and file_id = ${fileId}`
  if (!attached) return finishJob(sql, jobId, 'The file was removed from the base.')
  const path = `/api/v1/internal/files/${encodeURIComponent(fileId)}`
  const headers = { 'x-organization-id': job.organization }
  try {
    const options = { method: 'POST', body: {}, idempotent: true, headers } as const
    const { parseStatus } = await files.request(ParseState, `${path}/parse`, options)
    const { filename, parseError } = await files.request(File, path, { headers })
    if (parseStatus === 'FAILED' || parseStatus === 'UNSUPPORTED') {
      const reason = parseError ?? 'The format is not supported.'
      return await fail(sql, job, `The file could not be parsed: ${reason}`)
    }
    if (parseStatus !== 'SUCCEEDED') return await pollLater(sql, job)
    const { text } = await files.request(Text, `${path}/text`, { headers })
    await indexText(
      context,
      job,
      { ...attached, title: attached.title ?? filename ?? fileId },
      text,
    )
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.kind === 'NOT_FOUND') {
      return fail(sql, job, 'The file was deleted.')
    }
    throw thrown
  }
}

async function indexText(
  context: ServiceContext<Deps>,
  { jobId, base, fileId }: Payload,
  fields: { title: string; doc_type: string; metadata: Record<string, unknown> },
  text: string,
) {
  const { chunks, sections } = chunkText(text)
  if (!(await reportProgress(context.sql, jobId, 0, chunks.length))) return
  const document = await prepareDocument(
    {
      ...fields,
      title: fields.title.slice(0, 1_000),
      document_id: fileId,
      file_id: fileId,
      chunks,
    },
    sections,
  )
  await context.sql.transaction(async (sql) => {
    await writeDocuments(context, sql, { no: base }, [document])
    await sql`
      update knowledge.files set status = 'INDEXED', error = null, updated_at = now()
      where base = ${base} and file_id = ${fileId}`
    await reportProgress(sql, jobId, chunks.length, chunks.length)
    await finishJob(sql, jobId)
  })
}

async function pollLater(sql: Sql, job: Payload) {
  const polls = job.polls + 1
  if (polls > maxPolls) return fail(sql, job, 'Parsing timed out.')
  const delayMs = Math.min(500 * polls, 10_000)
  await enqueue(sql, 'knowledge', { kind: 'attach', payload: { ...job, polls }, delayMs })
}

const fail = (sql: Sql, { base, fileId, jobId }: Payload, reason: string) =>
  sql.transaction(async (sql) => {
    await sql`
      update knowledge.files set status = 'FAILED', error = ${reason}, updated_at = now()
      where base = ${base} and file_id = ${fileId}`
    await finishJob(sql, jobId, reason)
  })
