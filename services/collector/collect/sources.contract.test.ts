import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type CollectionStage, stageCollection } from '../../../tests/support/collection.ts'

let at: CollectionStage
beforeAll(async () => {
  at = await stageCollection()
})
afterAll(() => at.close())
beforeEach(() => at.reset())

describe('a source', () => {
  test('a source is created, read, updated with If-Match and deleted', async () => {
    const created = await at.call('POST', '/sources', {
      name: 'A',
      kind: 'rss',
      url: `${at.site}/feed`,
    })
    expect([created.status, created.headers.get('etag')]).toEqual([201, '"1"'])
    expect(created.data).toMatchObject({ organization_id: 'acme', enabled: true, include: [] })
    const path = `/sources/${created.data.id}`
    const edited = await at.call('PUT', path, { enabled: false }, { 'if-match': '"1"' })
    expect(edited.data).toMatchObject({ name: 'A', enabled: false, version: 2 })
    const stale = await at.call('PUT', path, { name: 'B' }, { 'if-match': '"1"' })
    expect([stale.status, stale.code]).toEqual([409, 'VERSION_CONFLICT'])
    expect((await at.call('DELETE', path, undefined, { 'if-match': '"1"' })).status).toBe(409)
    expect((await at.call('GET', path)).data).toEqual(edited.data)
    expect((await at.call('DELETE', path)).data).toEqual({ deleted: true })
    expect((await at.call('GET', path)).status).toBe(404)
    const key = { 'idempotency-key': 'one source' }
    const body = { name: 'K', kind: 'upload' }
    const both = [
      await at.call('POST', '/sources', body, key),
      await at.call('POST', '/sources', body, key),
    ]
    expect(both[1]!.data).toEqual(both[0]!.data)
  })

  test.each([
    [{ url: null }, 'url', 'Required'],
    [{ url: 'ftp://example.org/' }, 'url', 'Only http'],
    [{ url: 'http://2130706433/' }, 'url', 'not public (loopback)'],
    [{ url: 'http://[::ffff:10.0.0.1]/' }, 'url', 'not public (private)'],
    [{ url: 'http://a:b@example.org/' }, 'url', 'credentials'],
    [{ kind: 'upload' }, 'url', 'Must be null'],
    [{ kb_id: 'sys_statutes' }, 'kb_id', 'seed packages only'],
    [{ kb_id: ' SYS_statutes' }, 'kb_id', 'seed packages only'],
    [{ schedule: 'sometimes' }, 'schedule', 'cron expression'],
    [{ schedule: '* * * * * *' }, 'schedule', 'cron expression'],
  ])('a source with %j is rejected', async (body, path, message) => {
    const input = { name: 'S', kind: 'http', url: 'http://example.org/', ...body }
    const { status, data } = await at.call('POST', '/sources', input)
    expect([status, data.issues[0].path]).toEqual([400, path])
    expect(data.issues[0].message).toContain(message)
  })

  test('collector:read reads and only collector:manage writes', async () => {
    const { id } = await at.createSource()
    const read = { 'x-permissions': 'collector:read' }
    expect((await at.call('GET', `/sources/${id}`, undefined, read)).status).toBe(200)
    expect((await at.call('PUT', `/sources/${id}`, {}, read)).status).toBe(403)
    expect((await at.call('POST', `/sources/${id}/runs`, undefined, read)).status).toBe(403)
    const none = { 'x-permissions': 'other' }
    expect((await at.call('GET', '/sources', undefined, none)).status).toBe(403)
    for (const missing of ['x-user-id', 'x-organization-id']) {
      const response = await at.call('GET', '/sources', undefined, { [missing]: undefined })
      expect([response.status, response.code]).toEqual([401, 'UNAUTHENTICATED'])
    }
    const otherOrganization = {
      'x-organization-id': 'others',
      'x-is-superuser': 'true',
      'x-permissions': '',
    }
    expect((await at.call('GET', `/sources/${id}`, undefined, otherOrganization)).status).toBe(404)
  })
})

describe('a document', () => {
  test('a document is uploaded and imported into the base of its source', async () => {
    const { id } = await at.createSource({ kind: 'upload', url: null, kb_id: 'kb-1' })
    expect((await at.call('POST', `/sources/${id}/runs`)).status).toBe(409)
    const upload = { title: '合同', content: '<p>第一条 甲方。</p>', content_type: 'text/html' }
    const created = await at.call('POST', `/sources/${id}/documents`, upload)
    expect([created.status, created.data.status]).toEqual([201, 'NEW'])
    const again = await at.call('POST', `/sources/${id}/documents`, upload)
    expect(again.data.id).toBe(created.data.id)
    at.targets.requests.length = 0
    const imported = await at.call('POST', `/documents/${created.data.id}/import`)
    expect([imported.status, imported.data.status]).toEqual([200, 'IMPORTED'])
    const [{ path, body }] = at.targets.requests as [{ path: string; body: any }]
    expect(path).toBe('/api/v1/internal/atomic/batch-upsert')
    expect(body.documents[0]).toMatchObject({
      kb_id: 'kb-1',
      document_id: created.data.id,
      title: '合同',
      chunks: [{ chunk_index: 0, content: '第一条 甲方。' }],
    })
    expect((await at.call('GET', `/documents?status=IMPORTED`)).data.total).toBe(1)
  })

  test('a document is not imported into a system base or a base of another organization', async () => {
    const source = await at.createSource({ kind: 'upload', url: null, kb_id: 'mine' })
    const refused = await at.call('PUT', `/sources/${source.id}`, { kb_id: 'sys_statutes' })
    expect([refused.status, refused.data.issues[0].path]).toEqual([400, 'kb_id'])
    const { data } = await at.call('POST', `/sources/${source.id}/documents`, {
      title: 'T',
      content: '第一条 forged',
    })
    const before = at.targets.requests.length
    // A row stored before this check existed.
    await at.sql`update collector.sources set kb_id = 'sys_statutes' where id = ${source.id}`
    expect((await at.call('POST', `/documents/${data.id}/import`)).status).toBe(403)
    expect(at.targets.requests.length).toBe(before)
    // knowledge-service checks the owner of a base; its fault is passed on.
    await at.sql`update collector.sources set kb_id = 'foreign' where id = ${source.id}`
    at.targets.state.rejectBodiesWith.add('foreign')
    const foreign = await at.call('POST', `/documents/${data.id}/import`)
    expect(foreign.status).toBeGreaterThanOrEqual(400)
    expect(foreign.status).toBeLessThan(500)
    expect((await at.call('GET', `/documents/${data.id}`)).data.status).toBe('NEW')
  })

  test('a document of a source without a base is not imported', async () => {
    const { id } = await at.createSource({ kind: 'upload', url: null })
    const { data } = await at.call('POST', `/sources/${id}/documents`, { title: 'x', content: 'y' })
    const refused = await at.call('POST', `/documents/${data.id}/import`)
    expect([refused.status, refused.message]).toEqual([409, expect.stringContaining('kb_id')])
  })
})

describe('internal paths', () => {
  test('internal paths need no permission, but an organization to create a source', async () => {
    const { id } = await at.createSource()
    const keyed = {
      'x-internal-api-key': 'a-key-for-tests-only',
      'x-permissions': undefined,
      'x-user-id': undefined,
    }
    for (const root of ['/internal/collector', '/api/v1/internal/collector']) {
      const get = (headers: object) =>
        at.request('GET', `${root}/sources/${id}`, { headers: { ...keyed, ...headers } })
      expect((await get({})).status).toBe(200)
      expect((await get({ 'x-organization-id': undefined })).status).toBe(200)
      expect((await get({ 'x-organization-id': 'others' })).status).toBe(404)
      expect((await get({ 'x-internal-api-key': undefined })).status).toBe(401)
    }
    const body = { name: 'S', kind: 'upload' }
    const headers = { ...keyed, 'x-organization-id': undefined }
    const created = await at.request('POST', '/internal/collector/sources', { body, headers })
    expect([created.status, created.code]).toEqual([401, 'UNAUTHENTICATED'])
  })
})
