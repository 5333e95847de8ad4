import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FilesStage, newStorage, stageFiles } from '../../tests/support/files.ts'

const api = '/api/v1/files'
const internal = '/api/v1/internal/files'
const ben = { 'x-user-id': 'ben' }
const elsewhere = { 'x-organization-id': 'other' }

const storage = await newStorage()
if (typeof storage === 'string') console.warn(`skipped: ${storage}`)

describe.skipIf(typeof storage === 'string')('files', () => {
  if (typeof storage === 'string') return
  let at: FilesStage
  beforeAll(async () => {
    at = await stageFiles(storage)
  })
  afterAll(async () => {
    await at.close()
    await storage.drop()
  })

  describe('an upload', () => {
    test('an upload creates a file of the caller with detected type, size and hash', async () => {
      const { status, data } = await at.upload({ bytes: '# 借条\n', filename: '借条.md' })
      expect(status).toBe(201)
      expect(data).toEqual({
        fileId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        owner: 'ann',
        organizationId: 'acme',
        visibility: 'private',
        purpose: null,
        filename: '借条.md',
        contentType: 'text/markdown',
        size: 9,
        sha256: createHash('sha256').update('# 借条\n').digest('hex'),
        parseStatus: 'NONE',
        parseError: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      })
      expect((await at.call('GET', `${api}/${data.fileId}`)).data).toEqual(data)
      const { bytes } = await at.bytes(`${api}/${data.fileId}/download`)
      expect(new TextDecoder().decode(bytes)).toBe('# 借条\n')
    })

    test('an upload accepts fields before and after the file', async () => {
      const body = (...parts: string[]) =>
        [
          ...parts.map((part) => `--x\r\nContent-Disposition: form-data; ${part}\r\n`),
          '--x--',
        ].join('')
      const file = 'name="file"; filename="a.txt"\r\n\r\nHello.'
      const fields = [
        'name="purpose"\r\n\r\nevidence',
        'name="visibility"\r\n\r\norganization',
        'name="parse"\r\n\r\ntrue',
      ]
      const headers = { 'content-type': 'multipart/form-data; boundary=x' }
      for (const raw of [body(file, ...fields), body(...fields, file)]) {
        const { status, data } = await at.call('POST', `${api}/upload`, { raw, headers })
        expect(status).toBe(201)
        expect(data).toMatchObject({
          purpose: 'evidence',
          visibility: 'organization',
          parseStatus: 'PENDING',
          size: 6,
        })
      }
    })

    test('an upload by another service belongs to the user in its headers', async () => {
      const { status, data } = await at.upload({}, ben, `${internal}/upload`)
      expect([status, data.owner]).toEqual([201, 'ben'])
    })

    test('an upload of an empty file is accepted', async () => {
      const { data } = await at.upload({ bytes: '', filename: 'empty.txt' })
      expect(data).toMatchObject({ size: 0, contentType: 'text/plain' })
      const { response, bytes } = await at.bytes(`${api}/${data.fileId}/download`)
      expect([response.status, bytes.length]).toEqual([200, 0])
    })

    test('an upload keeps the last path segment of the filename', async () => {
      const uploadAndReadName = async (filename: string) =>
        (await at.upload({ filename })).data.filename
      expect(await uploadAndReadName('../../etc/passwd')).toBe('passwd')
      expect(await uploadAndReadName('C:\\Users\\ann\\诉状 "终稿".docx')).toBe('诉状 "终稿".docx')
      expect(await uploadAndReadName('..')).toBe('..')
      expect(await uploadAndReadName('a\tb.txt')).toBe('ab.txt')
    })

    test('uploads with the same Idempotency-Key create one file', async () => {
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const form = { bytes: 'once', fields: { purpose: 'evidence' } }
      const responses = await Promise.all([1, 2, 3].map(() => at.upload(form, headers)))
      const [first, ...others] = responses
      expect(responses.map(({ status }) => status)).toEqual([201, 201, 201])
      for (const { data } of others) expect(data).toEqual(first!.data)
      const other = await at.upload({ ...form, bytes: 'twice' }, headers)
      expect([other.status, other.code]).toEqual([409, 'CONFLICT'])
      expect((await at.upload(form, headers)).headers.get('idempotency-replayed')).toBe('true')
      const { bytes } = await at.bytes(`${api}/${first!.data.fileId}/download`)
      expect(new TextDecoder().decode(bytes)).toBe('once')
    })
  })

  describe('a rejected request', () => {
    test('a request without X-User-Id is rejected', async () => {
      const anonymous = { 'x-user-id': undefined }
      const { fileId } = (await at.upload()).data
      const responses = [
        await at.upload({}, anonymous),
        await at.upload({}, anonymous, `${internal}/upload`),
        await at.call('GET', `${api}/${fileId}`, { headers: anonymous }),
        await at.call('GET', `${api}/user/ann`, { headers: anonymous }),
        await at.call('GET', `${api}/${fileId}/download`, { headers: anonymous }),
        await at.call('GET', `${api}/${fileId}/download-url`, { headers: anonymous }),
        await at.call('DELETE', `${api}/${fileId}`, { headers: anonymous }),
        await at.call('POST', `${api}/upload-url`, {
          body: { filename: 'a', size: 1 },
          headers: anonymous,
        }),
      ]
      for (const { status, code } of responses)
        expect([status, code]).toEqual([401, 'UNAUTHENTICATED'])
    })

    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const part = (head: string, body = '') => `--x\r\n${head}\r\n\r\n${body}\r\n`
    const file = part('Content-Disposition: form-data; name="file"; filename="a.txt"', 'Hello.')
    const field = (name: string, value: string) =>
      part(`Content-Disposition: form-data; name="${name}"`, value)
    const forms: [string, string, string][] = [
      ['no file', `${field('purpose', 'x')}--x--`, 'file'],
      ['two files', `${file}${file}--x--`, 'file'],
      ['an unknown visibility', `${file}${field('visibility', 'everyone')}--x--`, 'visibility'],
      ['a purpose past its limit', `${file}${field('purpose', 'x'.repeat(101))}--x--`, 'purpose'],
      ['a purpose of many bytes', `${field('purpose', 'x'.repeat(5_000))}${file}--x--`, 'purpose'],
      ['a parse that is no boolean', `${file}${field('parse', 'perhaps')}--x--`, 'parse'],
      ['NUL in a field', `${file}${field('purpose', 'a\0b')}--x--`, 'purpose'],
      ['an end in the middle', file, ''],
      ['no boundary at all', 'Hello.', ''],
      ['a part without a name', `${part('Content-Type: text/plain')}--x--`, ''],
    ]
    test.each(forms)('a form with %s is rejected', async (_, raw, path) => {
      const { status, code, data } = await at.call('POST', `${api}/upload`, { raw, headers })
      expect([status, code]).toEqual([400, 'VALIDATION_FAILED'])
      expect(data.issues[0].path).toBe(path)
    })

    test('a content type other than multipart/form-data is rejected', async () => {
      const { status } = await at.call('POST', `${api}/upload`, { body: {} })
      expect(status).toBe(415)
      const unbounded = await at.call('POST', `${api}/upload`, {
        raw: 'x',
        headers: { 'content-type': 'multipart/form-data' },
      })
      expect(unbounded.status).toBe(400)
    })

    test('sharing a file without an organization is rejected', async () => {
      const form = { fields: { visibility: 'organization' } }
      const { status } = await at.upload(form, { 'x-organization-id': undefined })
      expect(status).toBe(400)
    })

    test('a request for an unknown file is rejected', async () => {
      const missing = crypto.randomUUID()
      for (const id of [missing, 'upload-of-mine', '0'.repeat(36)]) {
        for (const path of [`${api}/${id}`, `${internal}/${id}`, `${api}/${id}/download`]) {
          expect((await at.call('GET', path)).status).toBe(404)
        }
      }
      expect((await at.call('DELETE', `${api}/${missing}`)).status).toBe(404)
      expect((await at.call('DELETE', `${internal}/${missing}`)).status).toBe(404)
    })

    test('an unsupported method is rejected', async () => {
      const { status, headers } = await at.call('PUT', `${api}/upload`)
      expect([status, headers.get('allow')]).toEqual([405, 'POST'])
    })
  })

  describe('visibility', () => {
    const shared = { fields: { visibility: 'organization' } }
    const superuser = { 'x-user-id': 'root', 'x-is-superuser': 'true', ...elsewhere }
    const reads = (id: string) => [
      `${api}/${id}`,
      `${api}/${id}/download`,
      `${api}/${id}/download-url`,
    ]
    const statuses = async (id: string, headers: Record<string, string>) =>
      Promise.all(reads(id).map(async (path) => (await at.call('GET', path, { headers })).status))

    test('a private file is visible to its owner and a superuser only', async () => {
      const { fileId } = (await at.upload()).data
      expect(await statuses(fileId, {})).toEqual([200, 200, 200])
      expect(await statuses(fileId, ben)).toEqual([404, 404, 404])
      expect(await statuses(fileId, elsewhere)).toEqual([404, 404, 404])
      expect(await statuses(fileId, superuser)).toEqual([200, 200, 200])
      expect((await at.call('DELETE', `${api}/${fileId}`, { headers: ben })).status).toBe(404)
    })

    test('a shared file is visible to the organization and deleted by its owner only', async () => {
      const { fileId } = (await at.upload(shared)).data
      expect(await statuses(fileId, ben)).toEqual([200, 200, 200])
      expect(await statuses(fileId, { ...ben, ...elsewhere })).toEqual([404, 404, 404])
      const refused = await at.call('DELETE', `${api}/${fileId}`, { headers: ben })
      expect([refused.status, refused.code]).toEqual([403, 'FORBIDDEN'])
      expect((await at.call('DELETE', `${api}/${fileId}`)).data).toEqual({ deleted: true })
      expect((await at.call('DELETE', `${api}/${fileId}`)).status).toBe(404)
    })

    test('a file without an organization is visible to its owner in any organization', async () => {
      const nowhere = { 'x-organization-id': undefined }
      const { fileId, organizationId } = (await at.upload({}, nowhere, `${internal}/upload`)).data
      expect(organizationId).toBeNull()
      expect(await statuses(fileId, {})).toEqual([200, 200, 200])
      expect(await statuses(fileId, ben)).toEqual([404, 404, 404])
      const inOne = (await at.upload(shared)).data.fileId
      expect((await at.call('GET', `${api}/${inOne}`, { headers: nowhere })).status).toBe(404)
    })

    test('a superuser deletes files of other users', async () => {
      const { fileId } = (await at.upload()).data
      const { status } = await at.call('DELETE', `${api}/${fileId}`, { headers: superuser })
      expect(status).toBe(200)
    })

    test('a service sees all files of the organization in its headers', async () => {
      const { fileId } = (await at.upload()).data
      const none = { 'x-organization-id': undefined, 'x-user-id': undefined }
      expect((await at.call('GET', `${internal}/${fileId}`, { headers: none })).status).toBe(200)
      expect((await at.call('GET', `${internal}/${fileId}`, { headers: ben })).status).toBe(200)
      expect((await at.call('GET', `${internal}/${fileId}`, { headers: elsewhere })).status).toBe(
        404,
      )
      const exists = async (headers: Record<string, string | undefined>, id = fileId) =>
        (await at.call('GET', `${internal}/${id}/exists`, { headers })).data
      expect(await exists(none)).toEqual({ exists: true })
      expect(await exists(elsewhere)).toEqual({ exists: false })
      expect(await exists(none, crypto.randomUUID())).toEqual({ exists: false })
      expect(await exists(none, 'no-id')).toEqual({ exists: false })
      expect(
        (await at.call('DELETE', `${internal}/${fileId}`, { headers: elsewhere })).status,
      ).toBe(404)
      expect((await at.call('DELETE', `${internal}/${fileId}`, { headers: none })).status).toBe(200)
      expect(await exists(none)).toEqual({ exists: false })
    })

    test('the list of a user contains visible files, newest first', async () => {
      const cleo = { 'x-user-id': 'cleo' }
      const ownIds: string[] = []
      for (const form of [{}, shared, {}]) ownIds.push((await at.upload(form, cleo)).data.fileId)
      const list = async (headers: Record<string, string>, query = '') => {
        const { data } = await at.call('GET', `${api}/user/cleo${query}`, { headers })
        return { ids: data.items.map((file: { fileId: string }) => file.fileId), total: data.total }
      }
      expect(await list(cleo)).toEqual({ ids: ownIds.toReversed(), total: 3 })
      expect(await list(cleo, '?page=2&size=2')).toEqual({ ids: [ownIds[0]], total: 3 })
      expect(await list(ben)).toEqual({ ids: [ownIds[1]], total: 1 })
      expect(await list({ ...cleo, ...elsewhere })).toEqual({ ids: [], total: 0 })
      expect(await list(superuser)).toEqual({ ids: ownIds.toReversed(), total: 3 })
      expect((await at.call('GET', `${api}/user/cleo?size=201`, { headers: cleo })).status).toBe(
        400,
      )
    })
  })
})
