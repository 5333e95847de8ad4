import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type FilesStage, newStorage, stageFiles } from '../../tests/support/files.ts'

const api = '/api/v1/files'
const internal = '/api/v1/internal/files'
const ben = { 'x-user-id': 'ben' }
const publicUrl = 'https://gateway.test/files-service'

const storage = await newStorage()
if (typeof storage === 'string') console.warn(`skipped: ${storage}`)

describe.skipIf(typeof storage === 'string')('signed URLs', () => {
  if (typeof storage === 'string') return
  let at: FilesStage
  beforeAll(async () => {
    at = await stageFiles(storage, { FILES_PUBLIC_URL: `${publicUrl}/` })
  })
  afterAll(async () => {
    await at?.close()
    await storage.drop()
  })

  /** Sends a request without any credentials besides the URL. */
  const visit = (url: string, init: RequestInit = {}) =>
    at.fetch(new Request(url.replace(publicUrl, 'http://test'), init))

  describe('for a download', () => {
    let fileId: string
    beforeAll(async () => {
      fileId = (await at.upload({ bytes: '借款本金十万元', filename: '借条.txt' })).data.fileId
    })
    const urlFor = async (query = '') =>
      (await at.call('GET', `${api}/${fileId}/download-url${query}`)).data

    test('a download URL serves the file and its ranges without headers', async () => {
      const { url, expiresAt } = await urlFor()
      expect(url.startsWith(`${publicUrl}/api/v1/files/${fileId}/content?`)).toBe(true)
      const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000
      expect(minutes).toBeGreaterThan(14)
      expect(minutes).toBeLessThanOrEqual(15)
      const response = await visit(url)
      expect([response.status, await response.text()]).toEqual([200, '借款本金十万元'])
      const part = await visit(url, { headers: { range: 'bytes=0-5' } })
      expect([part.status, await part.text()]).toEqual([206, '借款'])
    })

    test('a download URL can be created by services', async () => {
      const body = { fileId, expires_in: 60 }
      const { status, data } = await at.call('POST', `${internal}/presigned-url`, { body })
      expect(status).toBe(200)
      expect((await visit(data.url)).status).toBe(200)
      const unknown = { fileId: crypto.randomUUID() }
      expect((await at.call('POST', `${internal}/presigned-url`, { body: unknown })).status).toBe(
        404,
      )
      for (const expires_in of [0, 86_401, 1.5, '60', null]) {
        const refused = await at.call('POST', `${internal}/presigned-url`, {
          body: { fileId, expires_in },
        })
        expect(refused.status).toBe(400)
      }
      const headers = { 'x-organization-id': 'other' }
      const other = await at.call('POST', `${internal}/presigned-url`, { body, headers })
      expect(other.status).toBe(404)
    })

    test('a download URL expires within a day', async () => {
      for (const query of [
        '?expires_in=86401',
        '?expires_in=0',
        '?expires_in=x',
        '?expires_in=1.5',
      ]) {
        expect((await at.call('GET', `${api}/${fileId}/download-url${query}`)).status).toBe(400)
      }
      const { expiresAt } = await urlFor('?expires_in=86400')
      expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(86_000_000)
    })

    test('a download URL is rejected when modified, expired or its file is deleted', async () => {
      const { url } = await urlFor('?expires_in=60')
      const expires = Number(new URL(url).searchParams.get('expires'))
      const other = (await at.upload()).data.fileId
      const changed = [
        url.replace(fileId, other),
        url.replace(/expires=\d+/, `expires=${expires + 1}`),
        url.replace(/signature=./, (start: string) =>
          start.endsWith('A') ? 'signature=B' : 'signature=A',
        ),
        url.replace(/signature=.*/, 'signature=short'),
      ]
      for (const each of changed) expect((await visit(each)).status).toBe(403)
      expect((await visit(url, { method: 'PUT', body: 'x' })).status).toBe(403)
      expect((await visit(url.replace(/\?.*/, ''))).status).toBe(400)
      const brief = (await urlFor('?expires_in=1')).url
      await vi.waitFor(async () => expect((await visit(brief)).status).toBe(403), 10_000)
      const orphan = (await at.call('GET', `${api}/${other}/download-url`)).data.url
      await at.call('DELETE', `${api}/${other}`)
      expect((await visit(orphan)).status).toBe(404)
    })
  })

  describe('for an upload', () => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
    const promise = (more: object = {}, headers = {}) =>
      at.call('POST', `${api}/upload-url`, {
        body: {
          filename: '证据.txt',
          contentType: 'text/html',
          size: 6,
          purpose: 'evidence',
          ...more,
        },
        headers,
      })
    const send = (url: string, body: string) => visit(url, { method: 'PUT', body })
    const complete = (fileId: string, headers = {}) =>
      at.call('POST', `${api}/${fileId}/complete`, { headers })

    test('an upload URL accepts the bytes, and complete creates the file', async () => {
      const { status, data } = await promise({
        sha256: sha256('Hello.'),
        visibility: 'organization',
      })
      expect(status).toBe(200)
      const { fileId, url, method, headers, expiresAt } = data
      expect([method, headers]).toEqual(['PUT', {}])
      expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now())
      expect((await at.call('GET', `${api}/${fileId}`)).status).toBe(404)
      expect((await send(url, 'Hello.')).status).toBe(200)
      expect((await at.call('GET', `${api}/${fileId}`)).status).toBe(404)

      const completed = await complete(fileId)
      expect(completed.status).toBe(200)
      expect(completed.data).toMatchObject({
        fileId,
        owner: 'ann',
        organizationId: 'acme',
        visibility: 'organization',
        purpose: 'evidence',
        filename: '证据.txt',
        contentType: 'text/plain',
        size: 6,
        sha256: sha256('Hello.'),
      })
      const { bytes } = await at.bytes(`${api}/${fileId}/download`, ben)
      expect(new TextDecoder().decode(bytes)).toBe('Hello.')
      expect((await complete(fileId)).data).toEqual(completed.data)
      expect((await complete(fileId, ben)).status).toBe(404)
    })

    test('an upload URL keeps the last upload, and none after completion', async () => {
      const { fileId, url } = (await promise()).data
      await send(url, 'first.')
      await send(url, 'second'.slice(0, 6))
      const { data } = await complete(fileId)
      expect(data.sha256).toBe(sha256('second'))
      expect((await send(url, 'third.')).status).toBe(404)
      const { bytes } = await at.bytes(`${api}/${fileId}/download`)
      expect(new TextDecoder().decode(bytes)).toBe('second')
    })

    test('an upload that does not match its declaration gets 409 and is removed', async () => {
      const before = await storage.list()
      const short = (await promise()).data
      await send(short.url, 'Hell')
      expect((await complete(short.fileId)).code).toBe('CONFLICT')
      expect(await storage.list()).toEqual(before)

      const other = (await promise({ sha256: sha256('Hello.') })).data
      await send(other.url, 'Jello.')
      const { status, data } = await complete(other.fileId)
      expect(status).toBe(409)
      expect(data.sent).toEqual({ size: 6, sha256: sha256('Jello.') })
      expect(await storage.list()).toEqual(before)

      await send(other.url, 'Hello.')
      expect((await complete(other.fileId)).status).toBe(200)
    })

    test('an upload URL rejects more bytes than declared', async () => {
      const before = await storage.list()
      const { url } = (await promise()).data
      expect((await send(url, 'Hello, world.')).status).toBe(413)
      expect(await storage.list()).toEqual(before)
    })

    test('an unused upload URL cannot be completed', async () => {
      const { fileId } = (await promise()).data
      expect((await complete(fileId)).status).toBe(409)
      expect((await complete(fileId, ben)).status).toBe(404)
      expect((await complete(fileId, { 'x-organization-id': 'other' })).status).toBe(404)
      expect((await complete(crypto.randomUUID())).status).toBe(404)
    })

    test('concurrent completions create one file with one object', async () => {
      const before = await storage.list()
      const { fileId, url } = (await promise()).data
      await send(url, 'Hello.')
      const responses = await Promise.all(Array.from({ length: 8 }, () => complete(fileId)))
      for (const { status, data } of responses) expect([status, data.fileId]).toEqual([200, fileId])
      expect(await storage.list()).toHaveLength(before.length + 1)
      await at.call('DELETE', `${api}/${fileId}`)
      expect(await storage.list()).toEqual(before)
    })

    test('an upload during completion leaves a file that matches its hash', async () => {
      const { fileId, url } = (await promise()).data
      await send(url, 'first.')
      const [completed] = await Promise.all([
        complete(fileId),
        send(url, 'second'),
        send(url, 'third.'),
      ])
      const { data } = completed.status === 200 ? completed : await complete(fileId)
      const { bytes } = await at.bytes(`${api}/${fileId}/download`)
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(data.sha256)
    })

    test('an upload URL is created once per Idempotency-Key', async () => {
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const first = await promise({}, headers)
      expect((await promise({}, headers)).data).toEqual(first.data)
      expect((await promise({ size: 7 }, headers)).status).toBe(409)
    })

    test('an upload URL that is never completed is removed with its object', async () => {
      const before = await storage.list()
      const { fileId, url } = (await promise()).data
      await send(url, 'Hello.')
      await at.runBackground()
      expect(await storage.list()).toHaveLength(before.length + 1)
      await at.sql`update files.uploads set expires_at = now() where file_id = ${fileId}`
      await at.sql`update files.orphaned_objects set due_at = now() where storage_key = ${`incoming/${fileId}`}`
      await at.runBackground()
      expect(await storage.list()).toEqual(before)
      expect((await complete(fileId)).status).toBe(404)
    })
  })
})
