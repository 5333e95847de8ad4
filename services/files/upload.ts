import type { Context } from 'hono'
import type * as z from 'zod'
import type { Env, ServiceContext } from '../_kit/context.ts'
import { ok } from '../_kit/endpoint.ts'
import { Fault, invalid } from '../_kit/fault.ts'
import { canonicalJson } from '../_kit/hash.ts'
import { idempotent } from '../_kit/idempotency.ts'
import { type Caller, user } from '../_kit/identity.ts'
import { newId } from '../_kit/ids.ts'
import { type Deps, post } from './deps.ts'
import { File, insertFile, type Visibility } from './file.ts'
import { type FilePart, type FormFields, formContent, readForm } from './form.ts'
import { inspectStream, type StreamInfo } from './inspect-stream.ts'
import { claimObject, discardObject, registerObject } from './orphans.ts'

const spec = {
  summary: 'Upload a file',
  description:
    'Streams the file to the storage. With an Idempotency-Key, the same file and fields return the first response.',
  guard: user,
  stream: formContent,
  responses: { 201: File },
  idempotencyKey: true,
}

export const upload = [
  post('/api/v1/files/upload', spec, (c) => receive(c)),
  post('/api/v1/internal/files/upload', spec, (c) => receive(c)),
]

type C = Context<Env<Deps>>
type ReceivedFile = StreamInfo & { filename: string }

async function receive(c: C): Promise<Response> {
  const context = c.env
  const fileId = newId()
  const key = `files/${fileId}`
  let [stored, claimed] = [false, false]
  try {
    const { fields, received } = await readForm(c.req.raw, context.maxBytes, (part) => {
      stored = true
      return storeBody(context, key, part)
    })
    requireOrganizationToShare(c.var.caller, fields.visibility)
    const { size, sha256, filename } = received
    const content = canonicalJson({ ...fields, size, sha256, filename })
    return await idempotent(c, content, async () => {
      const file = await createFile(c, fileId, key, fields, received)
      claimed = true
      return ok(c, file, 201)
    })
  } finally {
    // The upload was rejected, interrupted or a replay: no file claimed the object.
    if (stored && !claimed) await discardObject(context, key)
  }
}

async function storeBody(
  { sql, store, runtime, maxBytes }: ServiceContext<Deps>,
  key: string,
  { body, filename, expectedSize }: FilePart,
): Promise<ReceivedFile> {
  await registerObject(sql, key)
  const storage = await store()
  const info = await inspectStream(body, { runtime, maxBytes, filename }, (chunks) =>
    storage.put(key, chunks, expectedSize),
  )
  return { ...info, filename }
}

function createFile(
  c: C,
  fileId: string,
  storageKey: string,
  fields: FormFields,
  received: ReceivedFile,
): Promise<File> {
  const { userId, organizationId = null } = c.var.caller
  return c.env.sql.transaction(async (sql) => {
    if (!(await claimObject(sql, storageKey)))
      throw new Fault('CONFLICT', 'The upload expired. Upload the file again.')
    return insertFile(sql, {
      ...fields,
      ...received,
      fileId,
      storageKey,
      owner: userId!,
      organizationId,
    })
  })
}

/** Rejects visibility `organization` for a caller without an organization. */
export function requireOrganizationToShare(
  { organizationId }: Caller,
  visibility: z.infer<typeof Visibility>,
) {
  if (visibility === 'organization' && organizationId === undefined) {
    throw invalid([{ path: 'visibility', message: 'Requires X-Organization-Id.' }])
  }
}
