import * as z from 'zod'
import type { ServiceContext } from '../_kit/context.ts'
import { ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { Id } from '../_kit/fields.ts'
import { user } from '../_kit/identity.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment } from '../_kit/sql/sql.ts'
import { canModify, fileNotFound, loadFile, visibleToService, visibleToUser } from './access.ts'
import { type Deps, del, get } from './deps.ts'
import { ById, columns, File, idSegment } from './file.ts'
import { releaseObject, removeObjects } from './orphans.ts'

const external = '/api/v1/files'
const internal = '/api/v1/internal/files'
const Deleted = z.object({ deleted: z.literal(true) })

export const files = [
  get(
    `${external}/user/:userId`,
    {
      summary: 'List the files of a user',
      description: 'Newest first. Files of another user are filtered by what the caller may read.',
      guard: user,
      params: z.object({ userId: z.string().min(1).max(200) }),
      query: PageQuery,
      responses: { 200: pageSchema(File) },
    },
    async (c, { params, query }) => {
      const from = fragment`files.files
        where owner = ${params.userId} and ${visibleToUser(c.var.caller)}`
      const order = fragment`created_at desc, file_id desc`
      return ok(c, await selectPage(c.env.sql, File, query, { columns, from, order }))
    },
  ),

  get(
    `${external}/${idSegment}`,
    {
      summary: 'Get the metadata of a file',
      guard: user,
      params: ById,
      responses: { 200: File },
    },
    async (c, { params }) =>
      ok(c, await loadFile(c.env.sql, params.fileId, visibleToUser(c.var.caller))),
  ),

  del(
    `${external}/${idSegment}`,
    {
      summary: 'Delete a file',
      description: 'Allowed for the owner and for a superuser.',
      guard: user,
      params: ById,
      responses: { 200: Deleted },
      faults: ['FORBIDDEN'],
    },
    async (c, { params }) => {
      const file = await loadFile(c.env.sql, params.fileId, visibleToUser(c.var.caller))
      if (!canModify(c.var.caller, file)) {
        throw new Fault('FORBIDDEN', 'Only the owner may delete this file.')
      }
      await deleteFile(c.env, file.fileId)
      return ok(c, { deleted: true })
    },
  ),

  get(
    `${internal}/${idSegment}`,
    { summary: 'Get the metadata of a file', params: ById, responses: { 200: File } },
    async (c, { params }) =>
      ok(c, await loadFile(c.env.sql, params.fileId, visibleToService(c.var.caller))),
  ),

  get(
    `${internal}/:fileId/exists`,
    {
      summary: 'Check whether a file exists',
      params: z.object({ fileId: z.string().min(1).max(200) }),
      responses: { 200: z.object({ exists: z.boolean() }) },
    },
    async (c, { params }) => {
      const id = Id.safeParse(params.fileId)
      const [found] = id.success
        ? await c.env.sql`
            select 1 from files.files where file_id = ${id.data} and ${visibleToService(c.var.caller)}`
        : []
      return ok(c, { exists: found !== undefined })
    },
  ),

  del(
    `${internal}/${idSegment}`,
    { summary: 'Delete a file', params: ById, responses: { 200: Deleted } },
    async (c, { params }) => {
      const { fileId } = await loadFile(c.env.sql, params.fileId, visibleToService(c.var.caller))
      await deleteFile(c.env, fileId)
      return ok(c, { deleted: true })
    },
  ),
]

const StorageKeyRow = z.object({ storage_key: z.string() })

/**
 * Deletes the file and its object. If the storage is unavailable, the sweep deletes the object later.
 */
async function deleteFile(context: ServiceContext<Deps>, fileId: string) {
  const key = await context.sql.transaction(async (sql) => {
    const deleted = await sql.row(StorageKeyRow)`
      delete from files.files where file_id = ${fileId} returning storage_key`
    if (!deleted) throw fileNotFound(fileId)
    await releaseObject(sql, deleted.storage_key)
    return deleted.storage_key
  })
  await removeObjects(context, [key])
}
