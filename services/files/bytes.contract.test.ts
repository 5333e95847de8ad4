import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeForm, type FilesStage, newStorage, stageFiles } from '../../tests/support/files.ts'
import { key } from '../../tests/support/stage.ts'

const api = '/api/v1/files'
const internal = '/api/v1/internal/files'
const limit = 1024 * 1024

const storage = await newStorage()
if (typeof storage === 'string') console.warn(`skipped: ${storage}`)

describe.skipIf(typeof storage === 'string')('bytes', () => {
  if (typeof storage === 'string') return
  let at: FilesStage
  beforeAll(async () => {
    at = await stageFiles(storage, { FILES_MAX_BYTES: String(limit) })
  })
  afterAll(async () => {
    await at?.close()
    await storage.drop()
  })

  /** Pseudo-random bytes, so that different ranges differ. */
  const pseudoRandomBytes = (size: number) =>
    Uint8Array.from({ length: size }, (_, n) => (Math.imul(n, 2_654_435_761) >>> 13) & 255)

  describe('a download', () => {
    let file: { fileId: string; sha256: string }
    const content = pseudoRandomBytes(700_000)
    beforeAll(async () => {
      file = (await at.upload({ bytes: content, filename: '证据 1.bin' })).data
    })
    const download = (headers?: Record<string, string>) =>
      at.bytes(`${api}/${file.fileId}/download`, headers)

    test('a download returns the uploaded bytes with filename and ETag', async () => {
      for (const path of [`${api}/${file.fileId}/download`, `${internal}/${file.fileId}/content`]) {
        const { response, bytes } = await at.bytes(path)
        expect(response.status).toBe(200)
        expect(Buffer.compare(bytes, content)).toBe(0)
        expect(Object.fromEntries(response.headers)).toMatchObject({
          'content-type': 'application/octet-stream',
          'content-disposition':
            'attachment; filename="__ 1.bin"; filename*=UTF-8\'\'%E8%AF%81%E6%8D%AE%201.bin',
          etag: `"${file.sha256}"`,
          'accept-ranges': 'bytes',
          'x-content-type-options': 'nosniff',
          'cache-control': 'private, no-cache',
        })
      }
    })

    const ranges: [string, number, number][] = [
      ['bytes=0-0', 0, 0],
      ['bytes=0-99', 0, 99],
      ['bytes=300000-', 300_000, 699_999],
      ['bytes=-5', 699_995, 699_999],
      ['bytes=262140-262150', 262_140, 262_150],
      ['bytes=699999-900000', 699_999, 699_999],
      ['bytes=-9999999', 0, 699_999],
    ]
    test.each(ranges)('a download returns the range %s', async (range, start, end) => {
      const { response, bytes } = await download({ range })
      expect(response.status).toBe(206)
      expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/700000`)
      expect(Buffer.compare(bytes, content.subarray(start, end + 1))).toBe(0)
    })

    test('a download ignores a malformed range and multiple ranges', async () => {
      for (const range of ['bytes=5-2', 'bytes=a-b', 'lines=1-2', 'bytes=0-1,5-6', 'bytes=-']) {
        const { response, bytes } = await download({ range })
        expect([response.status, bytes.length]).toEqual([200, 700_000])
      }
    })

    test('a download of an unsatisfiable range gets 416 with the size', async () => {
      const { status, code, headers } = await at.call('GET', `${api}/${file.fileId}/download`, {
        headers: { range: 'bytes=700000-' },
      })
      expect([status, code]).toEqual([416, 'RANGE_NOT_SATISFIABLE'])
      expect(headers.get('content-range')).toBe('bytes */700000')
    })

    test('a download with a matching If-None-Match gets 304', async () => {
      const etag = `"${file.sha256}"`
      for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const { response, bytes } = await download({ 'if-none-match': tag })
        expect([response.status, bytes.length]).toEqual([304, 0])
        expect(response.headers.get('etag')).toBe(etag)
      }
      expect((await download({ 'if-none-match': '"x"' })).response.status).toBe(200)
    })

    test('a download resumes with If-Range', async () => {
      const range = 'bytes=1-1'
      const same = await download({ range, 'if-range': `"${file.sha256}"` })
      expect(same.response.status).toBe(206)
      expect((await download({ range, 'if-range': '"other"' })).response.status).toBe(200)
    })

    test('HEAD of a download has the same headers', async () => {
      const response = await at.fetch(
        new Request(`http://test${internal}/${file.fileId}/content`, {
          method: 'HEAD',
          headers: { 'x-internal-api-key': key },
        }),
      )
      expect(response.status).toBe(200)
      expect(response.headers.get('etag')).toBe(`"${file.sha256}"`)
      expect(await response.text()).toBe('')
    })

    test('a download aborted by the client does not block deletion', async () => {
      const { fileId } = (await at.upload({ bytes: content })).data
      const response = await at.fetch(
        new Request(`http://test${internal}/${fileId}/content`, {
          headers: { 'x-internal-api-key': key },
        }),
      )
      const reader = response.body!.getReader()
      await reader.read()
      expect((await at.call('DELETE', `${api}/${fileId}`)).status).toBe(200)
      await reader.cancel()
      expect((await at.bytes(`${internal}/${fileId}/content`)).response.status).toBe(404)
    })
  })

  describe('active content', () => {
    const dangerous: [string, string, string][] = [
      ['a page', '<!doctype html><script>alert(1)</script>', 'text/html'],
      ['a page that calls itself a picture', '\n <HTML><body>', 'text/html'],
      ['a page without its first line', '<script>alert(1)</script>', 'text/html'],
      ['a drawing', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'image/svg+xml'],
      ['a drawing in XML', '<?xml version="1.0"?><!-- x --><svg/>', 'image/svg+xml'],
    ]
    test.each(dangerous)('%s is served as an attachment', async (_, bytes, contentType) => {
      const { data } = await at.upload({ bytes, filename: 'cat.png' })
      expect(data.contentType).toBe(contentType)
      const { response } = await at.bytes(`${api}/${data.fileId}/download`)
      expect(response.headers.get('content-disposition')).toMatch(/^attachment;/)
      expect(response.headers.get('content-security-policy')).toContain('sandbox')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    })

    test('an image is served inline', async () => {
      const png = Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      )
      const { data } = await at.upload({ bytes: new Uint8Array(png), filename: 'page.html' })
      expect(data.contentType).toBe('image/png')
      const { response } = await at.bytes(`${api}/${data.fileId}/download`)
      expect(response.headers.get('content-disposition')).toMatch(/^inline;/)
    })
  })

  describe('the size limit', () => {
    test('a file of exactly the size limit is accepted', async () => {
      const { status, data } = await at.upload({ bytes: pseudoRandomBytes(limit) })
      expect([status, data.size]).toEqual([201, limit])
    })

    test('a file one byte above the size limit is rejected and not stored', async () => {
      const before = await storage.list()
      const { status, code, data } = await at.upload({ bytes: pseudoRandomBytes(limit + 1) })
      expect([status, code, data]).toEqual([413, 'PAYLOAD_TOO_LARGE', { limit: limit }])
      expect(await storage.list()).toEqual(before)
    })

    test('a Content-Length above the size limit is rejected before reading the body', async () => {
      const { raw, headers } = await encodeForm({ bytes: pseudoRandomBytes(2 * limit) })
      const { status } = await at.call('POST', `${api}/upload`, { raw, headers })
      expect(status).toBe(413)
    })

    test('the size limit applies to the declared size of an upload URL', async () => {
      const body = { filename: 'a.bin', contentType: 'application/pdf', size: limit + 1 }
      expect((await at.call('POST', `${api}/upload-url`, { body })).status).toBe(413)
    })
  })

  test('deleting a file deletes its object', async () => {
    const before = await storage.list()
    const ids = []
    for (let n = 0; n < 3; n++) ids.push((await at.upload({ bytes: `${n}` })).data.fileId)
    expect((await storage.list()).length).toBe(before.length + 3)
    for (const id of ids) await at.call('DELETE', `${api}/${id}`)
    expect(await storage.list()).toEqual(before)
  })
})
