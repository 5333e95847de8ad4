import type { Context } from 'hono'
import type { Env, ServiceContext } from '../_kit/context.ts'
import { ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { user } from '../_kit/identity.ts'
import { newId } from '../_kit/ids.ts'
import { canModify, fileNotFound, loadFile, visibleToUser } from './access.ts'
import { type Deps, post } from './deps.ts'
import { ById, File, insertFile } from './file.ts'
import { drain, inspectStream, type StreamInfo } from './inspect-stream.ts'
import { claimObject, discardObject, registerObject } from './orphans.ts'
import { findUpload, type PendingUpload, stagingKey } from './pending-upload.ts'

export const complete = [
  post(
    '/api/v1/files/:fileId/complete',
    {
      summary: 'Complete an upload',
      description:
        'Creates the file from the uploaded bytes. Bytes that do not match the declared size or SHA-256 are removed (409) and may be uploaded again. Repeating the call after success changes nothing.',
      guard: user,
      params: ById,
      responses: { 200: File },
      faults: ['CONFLICT'],
    },
    async (c, { params }) => {
      const upload = await findUpload(c.env.sql, params.fileId, c.var.caller)
      const file = upload && (await createFile(c.env, upload))
      return ok(c, file ?? (await loadCompleted(c, params.fileId)))
    },
  ),
]

async function loadCompleted(c: Context<Env<Deps>>, fileId: string): Promise<File> {
  const file = await loadFile(c.env.sql, fileId, visibleToUser(c.var.caller))
  if (!canModify(c.var.caller, file)) throw fileNotFound(fileId)
  return file
}

/**
 * Copies the staged object to a new key, inspects the copy and creates the file. The holder of the upload URL
 * cannot change the copy. Of two concurrent attempts one creates the file; the other returns undefined.
 */
async function createFile(
  context: ServiceContext<Deps>,
  upload: PendingUpload,
): Promise<File | undefined> {
  const { sql } = context
  const staged = stagingKey(upload.fileId)
  const storageKey = `files/${newId()}`
  await registerObject(sql, storageKey)
  try {
    const info = await copyAndInspect(context, upload, staged, storageKey)
    const file = await commitUpload(context, upload, storageKey, info)
    // The upload URL may still be valid. Later uploads are removed when the registration expires.
    if (file) await (await context.store()).remove(staged)
    else await discardObject(context, storageKey)
    return file
  } catch (thrown) {
    await discardObject(context, storageKey)
    // A concurrent attempt created the file and removed the staged object.
    if (!(await findUpload(sql, upload.fileId))) return undefined
    throw thrown
  }
}

/**
 * Copies the staged object and inspects the copy. Removes a staged object that does not match its
 * declaration.
 */
async function copyAndInspect(
  context: ServiceContext<Deps>,
  upload: PendingUpload,
  staged: string,
  key: string,
): Promise<StreamInfo> {
  const { filename, size, sha256 } = upload.declared
  const store = await context.store()
  const sent = await store.size(staged)
  if (sent === null) throw new Fault('CONFLICT', 'No bytes were uploaded to the URL yet.')
  const copied = sent === size && (await store.copy(staged, key)) && (await store.get(key))
  const { runtime } = context
  const info = copied
    ? await inspectStream(copied, { runtime, maxBytes: Number.MAX_SAFE_INTEGER, filename }, drain)
    : undefined
  if (info && info.size === size && (sha256 ?? info.sha256) === info.sha256) {
    return info
  }
  await store.remove(staged)
  throw new Fault(
    'CONFLICT',
    'The uploaded bytes do not match the declared size or SHA-256. Upload the file again.',
    {
      data: { promised: { size, sha256 }, sent: { size: sent, sha256: info?.sha256 ?? null } },
    },
  )
}

const commitUpload = (
  { sql }: ServiceContext<Deps>,
  upload: PendingUpload,
  storageKey: string,
  info: StreamInfo,
) =>
  sql.transaction(async (sql) => {
    const { fileId, owner, organizationId, declared } = upload
    const [deleted] = await sql`
      delete from files.uploads where file_id = ${fileId} returning file_id`
    if (!deleted) return undefined
    if (!(await claimObject(sql, storageKey)))
      throw new Fault('CONFLICT', 'The upload expired. Upload the file again.')
    return insertFile(sql, { ...declared, ...info, fileId, owner, organizationId, storageKey })
  })
