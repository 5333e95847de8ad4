import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../_kit/context.ts'
import { ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { user } from '../_kit/identity.ts'
import { loadFile, visibleToService, visibleToUser } from './access.ts'
import { type Deps, get } from './deps.ts'
import { ById, type File } from './file.ts'

const Text = z.object({
  text: z.string().describe('Extracted text. Pages are separated by form feeds.'),
  pages: z.int(),
  language: z.string().nullable().describe('Dominant language: `zh` or `en`.'),
  truncated: z.boolean().describe('True if the text is incomplete.'),
})

const spec = {
  summary: 'Get the text of a file',
  description: 'Available when parseStatus is SUCCEEDED; 409 otherwise.',
  params: ById,
  responses: { 200: Text },
  faults: ['CONFLICT'] as const,
}

export const text = [
  get('/api/v1/files/:fileId/text', { ...spec, guard: user }, async (c, { params }) =>
    respondWithText(c, await loadFile(c.env.sql, params.fileId, visibleToUser(c.var.caller))),
  ),

  get('/api/v1/internal/files/:fileId/text', spec, async (c, { params }) =>
    respondWithText(c, await loadFile(c.env.sql, params.fileId, visibleToService(c.var.caller))),
  ),
]

async function respondWithText(c: Context<Env<Deps>>, { fileId, parseStatus }: File) {
  const stored =
    parseStatus === 'SUCCEEDED' &&
    (await c.env.sql.row(Text)`
      select text, pages, language, truncated from files.texts where file_id = ${fileId}`)
  if (stored) return ok(c, stored)
  throw new Fault('CONFLICT', `The file has no text: its parseStatus is ${parseStatus}.`, {
    data: { parseStatus },
  })
}
