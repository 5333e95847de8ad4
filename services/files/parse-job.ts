import * as z from 'zod'
import type { ServiceContext } from '../_kit/context.ts'
import { Id } from '../_kit/fields.ts'
import type { JobContext } from '../_kit/jobs.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import type { Deps } from './deps.ts'
import type { ParseOutcome } from './parse/parser.ts'

const Payload = z.object({ fileId: Id, attempt: z.int() })
const ClaimedFile = z.object({ content_type: z.string(), storage_key: z.string() })

/** Parses a file. Does nothing if the file was deleted or a later attempt was requested. */
export async function parseFile(
  { sql, store, parser }: ServiceContext<Deps>,
  payload: unknown,
  job: JobContext,
) {
  const { fileId, attempt } = Payload.parse(payload)
  const claimed = await sql.row(ClaimedFile)`
    update files.files set parse_status = 'PROCESSING', updated_at = now()
    where file_id = ${fileId} and parse_attempt = ${attempt} and parse_status in ('PENDING', 'PROCESSING')
    returning content_type, storage_key`
  if (!claimed) return
  const bytes = await (await store()).get(claimed.storage_key)
  if (!bytes) throw new Error('object not found in storage')
  const outcome = await parser!(claimed.content_type, bytes, job.signal)
  await saveOutcome(sql, fileId, attempt, outcome)
}

const saveOutcome = (sql: Sql, fileId: string, attempt: number, outcome: ParseOutcome) =>
  sql.transaction(async (sql) => {
    const error = outcome.status === 'SUCCEEDED' ? null : outcome.reason
    const [current] = await sql`
      update files.files set parse_status = ${outcome.status}, parse_error = ${error}, updated_at = now()
      where file_id = ${fileId} and parse_attempt = ${attempt} and parse_status = 'PROCESSING'
      returning file_id`
    if (!current || outcome.status !== 'SUCCEEDED') return
    const { text, pages, language, truncated } = outcome
    await sql`
      insert into files.texts (file_id, text, pages, language, truncated)
      values (${fileId}, ${text}, ${pages}, ${language}, ${truncated})
      on conflict (file_id) do update set text = excluded.text, pages = excluded.pages,
        language = excluded.language, truncated = excluded.truncated`
  })

/** Marks files as FAILED when their parse job is DEAD. */
export const failDeadParses = (sql: Sql) => sql`
  update files.files file
  set parse_status = 'FAILED', parse_error = 'Parsing failed repeatedly.', updated_at = now()
  from files.jobs job
  where job.kind = 'parse' and job.status = 'DEAD'
    and file.file_id = (job.payload ->> 'fileId')::uuid
    and file.parse_attempt = (job.payload ->> 'attempt')::int
    and file.parse_status in ('PENDING', 'PROCESSING')`
