import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { Id, Time } from '../_kit/fields.ts'
import { user } from '../_kit/identity.ts'
import { newId } from '../_kit/ids.ts'
import { post, put } from './deps.ts'
import { ById, displayName, Purpose, Sha256, Visibility } from './file.ts'
import { fileTooLarge, readBody } from './inspect-stream.ts'
import { insertUpload, loadUpload, stagingKey } from './pending-upload.ts'
import { SignedQuery, signedUrl, verifySignature } from './signing.ts'
import { requireOrganizationToShare } from './upload.ts'

const lifetimeSeconds = 60 * 60

const NewUpload = z
  .object({
    filename: z.string().min(1).max(1_000),
    contentType: z
      .string()
      .max(255)
      .optional()
      .describe('Ignored. The content type is detected from the bytes.'),
    size: z.int().min(0),
    purpose: Purpose.nullish(),
    visibility: Visibility.default('private'),
    parse: z.boolean().default(false).describe('Parse the file after completion. Default: false.'),
    sha256: Sha256.nullish().describe('Expected SHA-256. Other bytes are rejected.'),
  })
  .meta({ examples: [{ filename: '借条.pdf', contentType: 'application/pdf', size: 52_144 }] })

const UploadTarget = z.object({
  fileId: Id,
  url: z.string().describe('URL for the raw bytes.'),
  method: z.literal('PUT'),
  headers: z.record(z.string(), z.string()).describe('Headers that the upload must send.'),
  expiresAt: Time,
})

export const uploadUrl = [
  post(
    '/api/v1/files/upload-url',
    {
      summary: 'Create an upload URL',
      description:
        'Upload the raw bytes with PUT and without identity headers, then call complete.',
      guard: user,
      body: NewUpload,
      responses: { 200: UploadTarget },
      idempotencyKey: true,
    },
    async (c, { body }) => {
      const { caller } = c.var
      const { sql, store, maxBytes, publicUrl } = c.env
      if (body.size > maxBytes) throw fileTooLarge(maxBytes)
      requireOrganizationToShare(caller, body.visibility)
      const fileId = newId()
      const { size, visibility, parse, sha256 = null, purpose = null } = body
      const filename = displayName(body.filename)
      const declared = { filename, size, visibility, parse, sha256, purpose }
      const organizationId = caller.organizationId ?? null
      await sql.transaction((sql) =>
        insertUpload(sql, { fileId, owner: caller.userId!, organizationId, declared }),
      )

      const expires = new Date(Date.now() + lifetimeSeconds * 1000)
      const { urls } = await store()
      const { url, headers } =
        urls && !publicUrl
          ? await urls.put(stagingKey(fileId), lifetimeSeconds, {
              size,
              sha256: sha256 ?? undefined,
            })
          : { url: await signedUrl(c, 'PUT', fileId, expires), headers: {} }
      return ok(c, { fileId, url, method: 'PUT', headers, expiresAt: expires.toISOString() })
    },
  ),

  put(
    '/api/v1/files/:fileId/content',
    {
      summary: 'Upload bytes by a signed URL',
      description: 'The URL is issued by upload-url. A second upload replaces the first.',
      params: ById,
      query: SignedQuery,
      stream: { '*/*': {} },
      responses: { 200: z.object({ fileId: Id, size: z.int() }) },
      faults: ['FORBIDDEN'],
    },
    async (c, { params, query }) => {
      await verifySignature(c.env.sql, 'PUT', params.fileId, query)
      const { fileId, declared } = await loadUpload(c.env.sql, params.fileId)
      const overDeclaredSize = () =>
        new Fault(
          'PAYLOAD_TOO_LARGE',
          `The upload exceeds the declared size of ${declared.size} bytes.`,
          {
            data: { limit: declared.size },
          },
        )
      const bytes = readBody(c.req.raw, declared.size, overDeclaredSize)
      const size = await (await c.env.store()).put(stagingKey(fileId), bytes)
      return ok(c, { fileId, size })
    },
  ),
]
