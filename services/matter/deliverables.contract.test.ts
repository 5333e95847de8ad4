import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type MatterStage, makePeer, path, stageMatter } from '../../tests/support/matter.ts'

let fileCount = 0
const files = makePeer(({ body }) =>
  body.fileId.startsWith('gone')
    ? undefined
    : {
        url: `https://files.test/${body.fileId}?n=${++fileCount}`,
        expiresAt: '2027-01-01T00:00:00.000Z',
      },
)

let at: MatterStage
beforeAll(async () => {
  at = await stageMatter({ peers: { 'files-service': files.peer } })
})
afterAll(() => at.close())
beforeEach(() => {
  files.requests.length = 0
  files.state.down = false
})

const withDeliverables = async (...deliverables: object[]) => {
  const { id } = await at.createMatter({ provider_organization_id: 'firm' })
  await at.sync(id, { deliverables })
  return id
}

describe('deliverables', () => {
  test('every read returns a new download link', async () => {
    const id = await withDeliverables(
      { deliverable_key: 'a', title: '起诉状', kind: 'complaint', file_id: 'f-1' },
      { deliverable_key: 'b' },
    )
    const page = await at.read(`${path}/${id}/deliverables`)
    expect(page).toMatchObject({ page: 1, size: 20, total: 2, total_pages: 1 })
    expect(page.items).toEqual([
      {
        deliverable_key: 'a',
        title: '起诉状',
        kind: 'complaint',
        file_id: 'f-1',
        version: 1,
        created_at: expect.any(String),
        presigned_url: `https://files.test/f-1?n=${fileCount}`,
      },
      expect.objectContaining({ deliverable_key: 'b', file_id: null, presigned_url: null }),
    ])
    const one = await at.read(`${path}/${id}/deliverables/a`)
    expect(one).toEqual({
      ...page.items[0],
      presigned_url: `https://files.test/f-1?n=${fileCount}`,
    })
    expect(one.presigned_url).not.toBe(page.items[0].presigned_url)
    expect(files.requests).toHaveLength(2)
  })

  test('links are requested as the organization of the matter without a user', async () => {
    const id = await withDeliverables({ deliverable_key: 'a', file_id: 'f-1' })
    const headers = { 'x-organization-id': 'firm', 'x-request-id': 'r-1' }
    const { data } = await at.call('GET', `${path}/${id}/deliverables/a`, { headers })
    expect(data.presigned_url).toContain('f-1')
    const [request] = files.requests
    expect(request).toMatchObject({
      path: '/api/v1/internal/files/presigned-url',
      body: { fileId: 'f-1', expires_in: 900 },
    })
    const sent = ['x-organization-id', 'x-user-id', 'x-request-id', 'x-internal-api-key']
    expect(sent.map((name) => request!.headers.get(name))).toEqual([
      'acme',
      null,
      'r-1',
      'a-key-for-tests-only',
    ])
  })

  test('every version stays readable with its own file, newest first', async () => {
    const id = await withDeliverables({ deliverable_key: 'a', title: 'First', file_id: 'f-1' })
    await at.sync(id, { deliverables: [{ deliverable_key: 'a', file_id: 'f-2' }] })
    await at.sync(id, { deliverables: [{ deliverable_key: 'a', file_id: 'f-2' }] })
    await at.sync(id, { deliverables: [{ deliverable_key: 'a', title: 'Third' }] })
    const { items, total } = await at.read(`${path}/${id}/deliverables/a/versions`)
    expect(total).toBe(3)
    expect(items).toMatchObject([
      { version: 3, title: 'Third', file_id: 'f-2' },
      { version: 2, title: 'First', file_id: 'f-2' },
      { version: 1, title: 'First', file_id: 'f-1' },
    ])
    expect(items[2].presigned_url).toContain('f-1')
    const get = (key: string, headers = {}) =>
      at.call('GET', `${path}/${id}/deliverables/${key}/versions`, { headers })
    expect((await get('b')).status).toBe(404)
    expect((await get('a', { 'x-organization-id': 'foreign' })).status).toBe(404)
  })

  test('the link of a deleted file is null', async () => {
    const id = await withDeliverables(
      { deliverable_key: 'a', file_id: 'gone-1' },
      { deliverable_key: 'b', file_id: 'f-1' },
    )
    const { items } = await at.read(`${path}/${id}/deliverables`)
    expect(items[0].presigned_url).toBeNull()
    expect(items[1].presigned_url).toContain('f-1')
  })

  test('deliverables are paged with their links', async () => {
    const keys = Array.from({ length: 25 }, (_, n) => `d${String(n).padStart(2, '0')}`)
    const id = await withDeliverables(
      ...keys.map((deliverable_key) => ({ deliverable_key, file_id: `file-${deliverable_key}` })),
    )
    const page = await at.read(`${path}/${id}/deliverables?size=12&page=2`)
    expect(page).toMatchObject({ total: 25, total_pages: 3 })
    expect(page.items.map((each: any) => each.deliverable_key)).toEqual(keys.slice(12, 24))
    for (const { file_id, presigned_url } of page.items) expect(presigned_url).toContain(file_id)
  })

  test('links are null while files-service is unavailable', async () => {
    const keys = Array.from({ length: 30 }, (_, n) => `d${n}`)
    const id = await withDeliverables(
      ...keys.map((deliverable_key) => ({ deliverable_key, file_id: `f-${deliverable_key}` })),
    )
    files.state.down = true
    const { status, data } = await at.call('GET', `${path}/${id}/deliverables?size=30`)
    expect(status).toBe(200)
    expect(data.items).toHaveLength(30)
    expect(data.items.every((each: any) => each.presigned_url === null)).toBe(true)
    // After the first failure no further link is requested.
    expect(new Set(files.requests.map(({ body }) => body.fileId)).size).toBeLessThanOrEqual(10)
  })

  test('an unknown deliverable is 404', async () => {
    const id = await withDeliverables()
    expect((await at.call('GET', `${path}/${id}/deliverables/a`)).status).toBe(404)
  })
})
