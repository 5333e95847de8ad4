import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { Id } from '../_kit/fields.ts'
import { loadFile, visibleToService } from './access.ts'
import { post, put } from './deps.ts'
import { ById, columns, enqueueParse, File, ParseStatus } from './file.ts'

const ParseState = z.object({ fileId: Id, parseStatus: ParseStatus })
const AttemptRow = z.object({ parse_attempt: z.int() })

const ParseReport = z
  .object({ parseStatus: ParseStatus, parseError: z.string().max(2_000).nullish() })
  .meta({ examples: [{ parseStatus: 'FAILED', parseError: 'The scan is not readable.' }] })

/** Order of the parse states. Rank 3 is final. */
const progress: Record<z.infer<typeof ParseStatus>, number> = {
  NONE: 0,
  PENDING: 1,
  PROCESSING: 2,
  SUCCEEDED: 3,
  FAILED: 3,
  UNSUPPORTED: 3,
}
const isFinal = (status: keyof typeof progress) => progress[status] === 3

const path = '/api/v1/internal/files/:fileId'

export const parsing = [
  post(
    `${path}/parse`,
    {
      summary: 'Parse a file in the background',
      description:
        'A file that is being parsed or was parsed is left unchanged unless `force` is true.',
      params: ById,
      body: z.object({ force: z.boolean().default(false) }).prefault({}),
      responses: { 202: ParseState },
    },
    async (c, { params, body }) => {
      const { fileId, parseStatus } = await c.env.sql.transaction(async (sql) => {
        const existing = await loadFile(sql, params.fileId, visibleToService(c.var.caller), 'lock')
        const isQueued = progress[existing.parseStatus] <= progress.PENDING
        if (!isQueued && !body.force) return existing
        // Results of an earlier attempt are discarded.
        const updated = await sql.row(AttemptRow)`
          update files.files set parse_status = 'PENDING', parse_error = null,
            parse_attempt = parse_attempt + ${isQueued ? 0 : 1}, updated_at = now()
          where file_id = ${existing.fileId} returning parse_attempt`
        await enqueueParse(sql, existing.fileId, updated!.parse_attempt)
        return loadFile(sql, existing.fileId, visibleToService(c.var.caller))
      })
      return ok(c, { fileId, parseStatus }, 202)
    },
  ),

  put(
    `${path}/parse-status`,
    {
      summary: 'Update the parse status of a file',
      description: 'For external parsers. A final state can only change to PENDING.',
      params: ById,
      body: ParseReport,
      responses: { 200: File },
      faults: ['CONFLICT'],
    },
    async (c, { params, body: { parseStatus, parseError = null } }) => {
      const file = await c.env.sql.transaction(async (sql) => {
        const existing = await loadFile(sql, params.fileId, visibleToService(c.var.caller), 'lock')
        const backwards = progress[parseStatus] < progress[existing.parseStatus]
        if (backwards && isFinal(existing.parseStatus) && parseStatus !== 'PENDING') {
          throw new Fault(
            'CONFLICT',
            `Parse status ${existing.parseStatus} is final. Set PENDING to parse again.`,
          )
        }
        const restarts = backwards && isFinal(existing.parseStatus)
        return sql.row(File)`
          update files.files set parse_status = ${parseStatus}, parse_error = ${parseError},
            parse_attempt = parse_attempt + ${restarts ? 1 : 0}, updated_at = now()
          where file_id = ${existing.fileId} returning ${columns}`
      })
      return ok(c, file!)
    },
  ),
]
