import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../_kit/context.ts'
import { ok } from '../_kit/endpoint.ts'
import { Id, Time } from '../_kit/fields.ts'
import { user } from '../_kit/identity.ts'
import { fragment } from '../_kit/sql/sql.ts'
import { loadStoredFile, type StoredFile, visibleToService, visibleToUser } from './access.ts'
import { contentDisposition } from './content-disposition.ts'
import { type Deps, get, post } from './deps.ts'
import { ById } from './file.ts'
import { byteResponses, serveFile } from './serve.ts'
import { SignedQuery, signedUrl, verifySignature } from './signing.ts'

const maxSeconds = 24 * 60 * 60
const defaultSeconds = 15 * 60
const expiresDescription = 'Lifetime of the URL in seconds.'

const DownloadUrl = z.object({
  url: z.string().describe('URL of the file. Needs no headers.'),
  expiresAt: Time,
})

export const download = [
  get(
    '/api/v1/files/:fileId/download',
    { summary: 'Download a file', guard: user, params: ById, ...byteResponses },
    async (c, { params }) =>
      serveFile(c, await loadStoredFile(c.env.sql, params.fileId, visibleToUser(c.var.caller))),
  ),

  get(
    '/api/v1/internal/files/:fileId/content',
    { summary: 'Download a file', params: ById, ...byteResponses },
    async (c, { params }) =>
      serveFile(c, await loadStoredFile(c.env.sql, params.fileId, visibleToService(c.var.caller))),
  ),

  get(
    '/api/v1/files/:fileId/content',
    {
      summary: 'Download a file by a signed URL',
      description: 'The URL is issued by download-url and needs no headers.',
      params: ById,
      query: SignedQuery,
      responses: byteResponses.responses,
      faults: [...byteResponses.faults, 'FORBIDDEN'],
    },
    async (c, { params, query }) => {
      await verifySignature(c.env.sql, 'GET', params.fileId, query)
      return serveFile(c, await loadStoredFile(c.env.sql, params.fileId, fragment`true`))
    },
  ),

  get(
    '/api/v1/files/:fileId/download-url',
    {
      summary: 'Create a download URL',
      guard: user,
      params: ById,
      query: z.object({
        expires_in: z.coerce
          .number()
          .int()
          .min(1)
          .max(maxSeconds)
          .default(defaultSeconds)
          .describe(expiresDescription),
      }),
      responses: { 200: DownloadUrl },
    },
    async (c, { params, query }) => {
      const file = await loadStoredFile(c.env.sql, params.fileId, visibleToUser(c.var.caller))
      return ok(c, await buildDownloadUrl(c, file, query.expires_in))
    },
  ),

  post(
    '/api/v1/internal/files/presigned-url',
    {
      summary: 'Create a download URL',
      body: z.object({
        fileId: Id,
        expires_in: z
          .int()
          .min(1)
          .max(maxSeconds)
          .default(defaultSeconds)
          .describe(expiresDescription),
      }),
      responses: { 200: DownloadUrl },
      faults: ['NOT_FOUND'],
    },
    async (c, { body }) => {
      const file = await loadStoredFile(c.env.sql, body.fileId, visibleToService(c.var.caller))
      return ok(c, await buildDownloadUrl(c, file, body.expires_in))
    },
  ),
]

async function buildDownloadUrl(
  c: Context<Env<Deps>>,
  file: StoredFile,
  seconds: number,
): Promise<z.output<typeof DownloadUrl>> {
  const expires = new Date(Date.now() + seconds * 1000)
  const { urls } = await c.env.store()
  const url =
    urls && !c.env.publicUrl
      ? await urls.get(file.storageKey, seconds, {
          contentType: file.contentType,
          disposition: contentDisposition(file.filename, file.contentType),
        })
      : await signedUrl(c, 'GET', file.fileId, expires)
  return { url, expiresAt: expires.toISOString() }
}
