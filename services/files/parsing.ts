import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { Id } from '../_kit/fields.ts'
import { fileWhere, trusted } from './access.ts'
import { post, put } from './deps.ts'
import { ById, columns, enqueueParse, File, ParseStatus } from './file.ts'

const Started = z.object({ fileId: Id, parseStatus: ParseStatus })
const Run = z.object({ parse_run: z.int() })

const Report = z
  .object({ parseStatus: ParseStatus, parseError: z.string().max(2_000).nullish() })
  .meta({ examples: [{ parseStatus: 'FAILED', parseError: 'The scan is not readable.' }] })

/** How far parsing has come. The last three are final. */
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
      description: 'What has begun or is finished stays as it is, unless `force` asks for it anew.',
      params: ById,
      body: z.object({ force: z.boolean().default(false) }).prefault({}),
      responses: { 202: Started },
    },
    async (c, { params, body }) => {
      const { fileId, parseStatus } = await c.env.sql.transaction(async (sql) => {
        const before = await fileWhere(sql, params.fileId, trusted(c.var.caller), 'lock')
        const waits = progress[before.parseStatus] <= progress.PENDING
        if (!waits && !body.force) return before
        // A new run makes what an earlier one still finds out of no interest.
        const run = await sql.row(Run)`
          update files.files set parse_status = 'PENDING', parse_error = null,
            parse_run = parse_run + ${waits ? 0 : 1}, updated_at = now()
          where file_id = ${before.fileId} returning parse_run`
        await enqueueParse(sql, before.fileId, run!.parse_run)
        return fileWhere(sql, before.fileId, trusted(c.var.caller))
      })
      return ok(c, { fileId, parseStatus }, 202)
    },
  ),

  put(
    `${path}/parse-status`,
    {
      summary: 'Report how far the parsing of a file has come',
      description: 'For parsers beside our own. From a final state it goes back to PENDING only.',
      params: ById,
      body: Report,
      responses: { 200: File },
      faults: ['CONFLICT'],
    },
    async (c, { params, body: { parseStatus, parseError = null } }) => {
      const file = await c.env.sql.transaction(async (sql) => {
        const before = await fileWhere(sql, params.fileId, trusted(c.var.caller), 'lock')
        const backwards = progress[parseStatus] < progress[before.parseStatus]
        if (backwards && isFinal(before.parseStatus) && parseStatus !== 'PENDING') {
          throw new Fault(
            'CONFLICT',
            `Parsing is over (${before.parseStatus}); only PENDING begins it anew.`,
          )
        }
        const anew = backwards && isFinal(before.parseStatus)
        return sql.row(File)`
          update files.files set parse_status = ${parseStatus}, parse_error = ${parseError},
            parse_run = parse_run + ${anew ? 1 : 0}, updated_at = now()
          where file_id = ${before.fileId} returning ${columns}`
      })
      return ok(c, file!)
    },
  ),
]
