import * as z from 'zod'
import { Fault } from '../_kit/fault.ts'
import { JsonObject } from '../_kit/fields.ts'
import { enqueue, type JobContext } from '../_kit/jobs.ts'
import type { ServiceContext } from '../_kit/service.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import { chunked } from './chunk/chunk.ts'
import type { Deps } from './deps.ts'
import { finish, progress } from './jobs/run.ts'
import { prepared } from './prepared.ts'
import { write } from './write.ts'

const Payload = z.object({
  run: z.string(),
  base: z.int(),
  fileId: z.string(),
  organization: z.string(),
  /** How often we asked whether the file was parsed. */
  asked: z.int().default(0),
})
type Payload = z.output<typeof Payload>

const Attached = z.object({
  title: z.string().nullable(),
  doc_type: z.string(),
  metadata: JsonObject,
})
const Parsing = z.object({ parseStatus: z.string() })
const File = z.object({ filename: z.string().nullish(), parseError: z.string().nullish() })
const Text = z.object({ text: z.string() })

/** About half an hour: the wait between two questions grows to ten seconds. */
const mostQuestions = 200

/** The job: parse, cut, index. A file that can't be parsed ends it; anything else is tried again. */
export async function attachFile(given: ServiceContext<Deps>, payload: unknown, _: JobContext) {
  const { sql, files } = given
  const job = Payload.parse(payload)
  const { base, fileId, run } = job
  const attached = await sql.row(Attached)`
    select title, doc_type, metadata from knowledge.files
    where base = ${base} and file_id = ${fileId}`
  if (!attached) return finish(sql, run, 'The file was taken out of the base.')
  const path = `/api/v1/internal/files/${encodeURIComponent(fileId)}`
  const headers = { 'x-organization-id': job.organization }
  try {
    const question = { method: 'POST', body: {}, idempotent: true, headers } as const
    const { parseStatus } = await files.request(Parsing, `${path}/parse`, question)
    const { filename, parseError } = await files.request(File, path, { headers })
    if (parseStatus === 'FAILED' || parseStatus === 'UNSUPPORTED') {
      const reason = parseError ?? 'Its format is not supported.'
      return await fail(sql, job, `The file could not be parsed: ${reason}`)
    }
    if (parseStatus !== 'SUCCEEDED') return await later(sql, job)
    const { text } = await files.request(Text, `${path}/text`, { headers })
    await index(given, job, { ...attached, title: attached.title ?? filename ?? fileId }, text)
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.kind === 'NOT_FOUND') {
      return fail(sql, job, 'The file is not there any more.')
    }
    throw thrown
  }
}

async function index(
  given: ServiceContext<Deps>,
  { run, base, fileId }: Payload,
  head: { title: string; doc_type: string; metadata: Record<string, unknown> },
  text: string,
) {
  const { chunks, sections } = chunked(text)
  if (!(await progress(given.sql, run, 0, chunks.length))) return
  const document = await prepared(
    { ...head, title: head.title.slice(0, 1_000), document_id: fileId, file_id: fileId, chunks },
    sections,
  )
  await given.sql.transaction(async (sql) => {
    await write(given, sql, { no: base }, [document])
    await sql`
      update knowledge.files set status = 'INDEXED', error = null, updated_at = now()
      where base = ${base} and file_id = ${fileId}`
    await progress(sql, run, chunks.length, chunks.length)
    await finish(sql, run)
  })
}

/** Asks again when the parser has had time. */
async function later(sql: Sql, job: Payload) {
  const asked = job.asked + 1
  if (asked > mostQuestions) return fail(sql, job, 'Parsing did not come to an end.')
  const delayMs = Math.min(500 * asked, 10_000)
  await enqueue(sql, 'knowledge', { kind: 'attach', payload: { ...job, asked }, delayMs })
}

const fail = (sql: Sql, { base, fileId, run }: Payload, reason: string) =>
  sql.transaction(async (sql) => {
    await sql`
      update knowledge.files set status = 'FAILED', error = ${reason}, updated_at = now()
      where base = ${base} and file_id = ${fileId}`
    await finish(sql, run, reason)
  })
