import type { Context } from 'hono'
import { type Env, ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { user } from '../_kit/identity.ts'
import { newId } from '../_kit/ids.ts'
import type { ServiceContext } from '../_kit/service.ts'
import { fileWhere, mayChange, noFile, visibleTo } from './access.ts'
import { type Deps, post } from './deps.ts'
import { ById, File, insertFile } from './file.ts'
import { drain, type Measured, measure } from './measure.ts'
import { findUpload, type Upload, waitingKey } from './promise.ts'
import { discardBytes, expectBytes, ownBytes } from './unowned.ts'

export const complete = [
  post(
    '/api/v1/files/:fileId/complete',
    {
      summary: 'Make a file of what was sent to its URL',
      description:
        'Bytes of another size or hash than was promised are removed (409), and may be sent again. Once it is a file, asking again changes nothing.',
      guard: user,
      params: ById,
      responses: { 200: File },
      faults: ['CONFLICT'],
    },
    async (c, { params }) => {
      const upload = await findUpload(c.env.sql, params.fileId, c.var.caller)
      const made = upload && (await make(c.env, upload))
      return ok(c, made ?? (await madeBefore(c, params.fileId)))
    },
  ),
]

async function madeBefore(c: Context<Env<Deps>>, fileId: string): Promise<File> {
  const file = await fileWhere(c.env.sql, fileId, visibleTo(c.var.caller))
  if (!mayChange(c.var.caller, file)) throw noFile(fileId)
  return file
}

/**
 * The bytes are looked at under a key of this attempt's own: whoever still has the URL can't change them
 * any more, and of two attempts at once one makes the file. The other finds it made: undefined.
 */
async function make(given: ServiceContext<Deps>, upload: Upload): Promise<File | undefined> {
  const { sql } = given
  const waiting = waitingKey(upload.fileId)
  const storageKey = `files/${newId()}`
  await expectBytes(sql, storageKey)
  try {
    const measured = await moved(given, upload, waiting, storageKey)
    const file = await own(given, upload, storageKey, measured)
    // The URL may still serve; what comes by it after this is removed when the day is over.
    if (file) await (await given.store()).remove(waiting)
    else await discardBytes(given, storageKey)
    return file
  } catch (thrown) {
    await discardBytes(given, storageKey)
    // Another attempt made the file and took away what this one was looking at.
    if (!(await findUpload(sql, upload.fileId))) return undefined
    throw thrown
  }
}

/** Copies what was sent and measures the copy; what is not as promised is taken away. */
async function moved(
  given: ServiceContext<Deps>,
  upload: Upload,
  waiting: string,
  key: string,
): Promise<Measured> {
  const { filename, size, sha256 } = upload.promised
  const store = await given.store()
  const sent = await store.size(waiting)
  if (sent === null) throw new Fault('CONFLICT', 'Nothing was sent to the URL yet.')
  const copied = sent === size && (await store.copy(waiting, key)) && (await store.get(key))
  const { runtime } = given
  const measured = copied
    ? await measure(copied, { runtime, most: Number.MAX_SAFE_INTEGER, filename }, drain)
    : undefined
  if (measured && measured.size === size && (sha256 ?? measured.sha256) === measured.sha256) {
    return measured
  }
  await store.remove(waiting)
  throw new Fault('CONFLICT', 'What was sent is not what was promised; send it again.', {
    data: { promised: { size, sha256 }, sent: { size: sent, sha256: measured?.sha256 ?? null } },
  })
}

const own = (
  { sql }: ServiceContext<Deps>,
  upload: Upload,
  storageKey: string,
  measured: Measured,
) =>
  sql.transaction(async (sql) => {
    const { fileId, owner, organizationId, promised } = upload
    const [first] = await sql`
      delete from files.uploads where file_id = ${fileId} returning file_id`
    if (!first) return undefined
    if (!(await ownBytes(sql, storageKey))) throw new Fault('CONFLICT', 'This took too long.')
    return insertFile(sql, { ...promised, ...measured, fileId, owner, organizationId, storageKey })
  })
