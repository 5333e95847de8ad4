import type { Context } from 'hono'
import * as z from 'zod'
import { type Env, ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { user } from '../_kit/identity.ts'
import { fileWhere, trusted, visibleTo } from './access.ts'
import { type Deps, get } from './deps.ts'
import { ById, type File } from './file.ts'

const Text = z.object({
  text: z.string().describe('Pages are separated by a form feed.'),
  pages: z.int(),
  language: z.string().nullable().describe('`zh` or `en`, where one of them prevails.'),
  truncated: z.boolean().describe('There was more than is kept.'),
})

const spec = {
  summary: 'Read the text of a file',
  description: 'Once it was parsed; before that 409.',
  params: ById,
  responses: { 200: Text },
  faults: ['CONFLICT'] as const,
}

export const text = [
  get('/api/v1/files/:fileId/text', { ...spec, guard: user }, async (c, { params }) =>
    textOf(c, await fileWhere(c.env.sql, params.fileId, visibleTo(c.var.caller))),
  ),

  get('/api/v1/internal/files/:fileId/text', spec, async (c, { params }) =>
    textOf(c, await fileWhere(c.env.sql, params.fileId, trusted(c.var.caller))),
  ),
]

async function textOf(c: Context<Env<Deps>>, { fileId, parseStatus }: File) {
  const kept =
    parseStatus === 'SUCCEEDED' &&
    (await c.env.sql.row(Text)`
      select text, pages, language, truncated from files.texts where file_id = ${fileId}`)
  if (kept) return ok(c, kept)
  throw new Fault('CONFLICT', `There is no text of this file: its parseStatus is ${parseStatus}.`, {
    data: { parseStatus },
  })
}
