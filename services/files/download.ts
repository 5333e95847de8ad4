import type { Context } from 'hono'
import * as z from 'zod'
import { type Env, ok } from '../_kit/endpoint.ts'
import { Id, Time } from '../_kit/fields.ts'
import { user } from '../_kit/identity.ts'
import { fragment } from '../_kit/sql/sql.ts'
import { type Stored, storedWhere, trusted, visibleTo } from './access.ts'
import { type Deps, get, post } from './deps.ts'
import { dispositionOf } from './disposition.ts'
import { ById } from './file.ts'
import { byteResponses, serve } from './serve.ts'
import { checkSignature, Signed, signedUrl } from './signing.ts'

const longest = 24 * 60 * 60
const usual = 15 * 60
const meaning = 'For how many seconds the URL serves.'

const Url = z.object({
  url: z.string().describe('Serves the file to whoever has it, without any header.'),
  expiresAt: Time,
})

export const download = [
  get(
    '/api/v1/files/:fileId/download',
    { summary: 'Download a file', guard: user, params: ById, ...byteResponses },
    async (c, { params }) =>
      serve(c, await storedWhere(c.env.sql, params.fileId, visibleTo(c.var.caller))),
  ),

  get(
    '/api/v1/internal/files/:fileId/content',
    { summary: 'Download a file', params: ById, ...byteResponses },
    async (c, { params }) =>
      serve(c, await storedWhere(c.env.sql, params.fileId, trusted(c.var.caller))),
  ),

  get(
    '/api/v1/files/:fileId/content',
    {
      summary: 'Download a file by a signed URL',
      description: 'The URL comes from download-url; it needs no headers.',
      params: ById,
      query: Signed,
      responses: byteResponses.responses,
      faults: [...byteResponses.faults, 'FORBIDDEN'],
    },
    async (c, { params, query }) => {
      await checkSignature(c.env.sql, 'GET', params.fileId, query)
      return serve(c, await storedWhere(c.env.sql, params.fileId, fragment`true`))
    },
  ),

  get(
    '/api/v1/files/:fileId/download-url',
    {
      summary: 'Make a URL that serves a file',
      guard: user,
      params: ById,
      query: z.object({
        expires_in: z.coerce.number().int().min(1).max(longest).default(usual).describe(meaning),
      }),
      responses: { 200: Url },
    },
    async (c, { params, query }) => {
      const file = await storedWhere(c.env.sql, params.fileId, visibleTo(c.var.caller))
      return ok(c, await urlOf(c, file, query.expires_in))
    },
  ),

  post(
    '/api/v1/internal/files/presigned-url',
    {
      summary: 'Make a URL that serves a file',
      body: z.object({
        fileId: Id,
        expires_in: z.int().min(1).max(longest).default(usual).describe(meaning),
      }),
      responses: { 200: Url },
      faults: ['NOT_FOUND'],
    },
    async (c, { body }) => {
      const file = await storedWhere(c.env.sql, body.fileId, trusted(c.var.caller))
      return ok(c, await urlOf(c, file, body.expires_in))
    },
  ),
]

async function urlOf(
  c: Context<Env<Deps>>,
  file: Stored,
  seconds: number,
): Promise<z.output<typeof Url>> {
  const expires = new Date(Date.now() + seconds * 1000)
  const { urls } = await c.env.store()
  const url =
    urls && !c.env.publicUrl
      ? await urls.get(file.storageKey, seconds, {
          contentType: file.contentType,
          disposition: dispositionOf(file.filename, file.contentType),
        })
      : await signedUrl(c, 'GET', file.fileId, expires)
  return { url, expiresAt: expires.toISOString() }
}
