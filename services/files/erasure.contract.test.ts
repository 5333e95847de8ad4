import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FilesStage, newStorage, stageFiles } from '../../tests/support/files.ts'

const storage = await newStorage()
if (typeof storage === 'string') console.warn(`skipped: ${storage}`)

describe.skipIf(typeof storage === 'string')('erasure of files', () => {
  if (typeof storage === 'string') return
  let at: FilesStage
  beforeAll(async () => {
    at = await stageFiles(storage)
  })
  afterAll(async () => {
    await at.close()
    await storage.drop()
  })
  const erase = (body: object, headers = {}) =>
    at.call('POST', '/api/v1/internal/erasure', { body, headers })
  const upload = async (filename: string) =>
    (await at.upload({ bytes: filename, filename })).data.fileId as string
  const exists = async (id: string) =>
    (await at.call('GET', `/api/v1/internal/files/${id}/exists`)).data.exists

  test('listed files of a matter are erased, other files and organizations stay', async () => {
    const [own, other] = [await upload('own.txt'), await upload('other.txt')]
    const body = { matter_id: 'm-1', file_ids: [own, 'not-a-file'] }
    const elsewhere = { 'x-organization-id': 'other' }
    expect((await erase(body, elsewhere)).data.erased.files).toBe(0)
    expect((await erase({ ...body, dry_run: true })).data.erased.files).toBe(1)
    expect(await exists(own)).toBe(true)
    expect((await erase(body)).data.erased.files).toBe(1)
    expect((await erase(body)).data.erased.files).toBe(0)
    expect([await exists(own), await exists(other)]).toEqual([false, true])
  })

  test('all files of a user are erased with their bytes', async () => {
    const id = await upload('mine.txt')
    const [row] = await at.sql`select storage_key from files.files where file_id = ${id}`
    expect((await erase({ user_id: 'nobody' })).data.erased).toEqual({ files: 0, uploads: 0 })
    expect((await erase({ user_id: 'ann' })).data.erased.files).toBeGreaterThan(0)
    expect(await exists(id)).toBe(false)
    const orphan = await at.sql`
      select 1 from files.orphaned_objects where storage_key = ${String(row!.storage_key)}`
    expect(orphan).toEqual([])
  })
})
