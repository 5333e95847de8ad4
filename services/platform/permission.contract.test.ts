import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import platform from './service.ts'

let at: Stage
beforeAll(async () => {
  at = await stage(platform, {
    peers: {
      'ai-engine': ({ url }) =>
        Response.json({
          code: 0,
          message: 'ok',
          data: url.endsWith('/skills') ? { skills: [] } : { name: 'k', description: '' },
        }),
    },
  })
})
afterAll(() => at.close())

const id = '01900000-0000-7000-8000-000000000000'
/** Paths with rights of their own; ai-admin.contract.test.ts and events.contract.test.ts cover them. */
const hasOwnRights =
  /^\/api\/v1\/(events$|ai\/(calculators|citations|admin\/(traces|timeline|runs|checkpoints|replay)))/
const external = platform.endpoints
  .filter(({ path }) => !path.startsWith('/api/v1/internal/') && !hasOwnRights.test(path))
  .map(({ method, path }) => ({
    method: method.toUpperCase(),
    path: path.replace(':id', id).replace(/:\w+/, 'k'),
  }))

const openReads = /^\/api\/v1\/(feature-flags|tags|tag-groups|categories|domains|ai\/skills)\b/
const isOpen = ({ method, path }: { method: string; path: string }) =>
  method === 'GET' && openReads.test(path)

const as = (headers: Record<string, string | undefined>) => ({
  body: undefined,
  headers: { 'x-internal-api-key': undefined, ...headers },
})

describe.each(external.filter((endpoint) => !isOpen(endpoint)))('$method $path', (endpoint) => {
  const send = (headers: Record<string, string | undefined>) =>
    at.call(endpoint.method, endpoint.path, as(headers))

  test.each([
    ['nobody in particular', { 'x-organization-id': undefined }],
    ['somebody without permissions', { 'x-user-id': 'u' }],
    [
      'somebody with others',
      { 'x-permissions': 'platform:read,platform:manage2, collector:manage' },
    ],
    ['somebody who is not quite a superuser', { 'x-is-superuser': 'TRUE' }],
    ['another service', { 'x-internal-api-key': 'a-key-for-tests-only' }],
  ])('is forbidden to %s', async (_, headers) => {
    const { status, code } = await send(headers)
    expect([status, code]).toEqual([403, 'FORBIDDEN'])
  })

  test('a manager and a superuser are allowed', async () => {
    expect((await send({ 'x-permissions': 'a:b, platform:manage' })).status).not.toBe(403)
    expect((await send({ 'x-is-superuser': 'true' })).status).not.toBe(403)
  })
})

test.each(external.filter(isOpen))(
  '$method $path is open to everybody',
  async ({ method, path }) => {
    const { status } = await at.call(method, path, as({ 'x-organization-id': undefined }))
    expect([200, 404]).toContain(status)
  },
)

test('every path is listed as open or restricted', () => {
  const closed = external.filter((endpoint) => !isOpen(endpoint))
  expect(closed).toHaveLength(5 + 3 + 4 * 3 + 2 + 2 + 4 + 6 + 5 + 1)
  expect(external).toHaveLength(closed.length + 2 + 4 * 2 + 2)
})
