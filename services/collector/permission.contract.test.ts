import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CollectorStage, stageCollector } from '../../tests/support/collector.ts'
import { makePeer } from '../../tests/support/matter.ts'
import { testProject } from '../../tests/support/stage.ts'

const isHere = testProject === 'pglite' || testProject === 'postgres'
const granted = new Set<string>()
const auth = makePeer(({ body }) => ({
  allowed: granted.has(`${body.user_id} ${body.organization_id} ${body.permission}`),
}))

let at: CollectorStage
beforeAll(async () => {
  at = await stageCollector({
    // A separate process gets the URL of the stub from the test harness.
    env: isHere ? { AUTH_SERVICE_URL: 'http://auth-service' } : {},
    peers: { 'auth-service': auth.peer },
    // X-Permissions is trusted only without an auth service.
    headers: { 'x-user-id': 'u', 'x-permissions': 'collector:manage' },
  })
})
afterAll(() => at.close())

const path = '/api/v1/collector/sources'
const external = { 'x-internal-api-key': undefined } as Record<string, string | undefined>
const read = (more = {}) => at.call('GET', path, { headers: { ...external, ...more } })
const write = (more = {}) =>
  at.call('POST', path, {
    body: { name: 'S', kind: 'upload' },
    headers: { ...external, ...more },
  })

describe('with an auth service', () => {
  test('the decision of the auth service grants or denies access', async () => {
    expect([(await read()).status, (await write()).status]).toEqual([403, 403])
    expect(auth.requests[0]).toMatchObject({
      path: '/api/v1/internal/auth/check',
      body: { user_id: 'u', organization_id: 'acme', permission: 'collector:read' },
    })
    granted.add('u acme collector:read')
    expect([(await read()).status, (await write()).status]).toEqual([200, 403])
    granted.delete('u acme collector:read')
    granted.add('u acme collector:manage')
    expect([(await read()).status, (await write()).status]).toEqual([200, 201])
    expect((await read({ 'x-organization-id': 'others' })).status).toBe(403)
  })

  test('a superuser passes without a check and an anonymous caller gets 401', async () => {
    auth.requests.length = 0
    const superuser = { 'x-is-superuser': 'true', 'x-user-id': 'root' }
    expect((await write(superuser)).status).toBe(201)
    expect((await read({ ...superuser, 'x-user-id': undefined })).status).toBe(401)
    expect(auth.requests).toEqual([])
  })

  test('access is denied while the auth service is unavailable', async () => {
    granted.add('u acme collector:read')
    auth.state.down = true
    const refused = await read()
    expect([refused.status, refused.code]).toEqual([403, 'FORBIDDEN'])
    auth.state.down = false
  })
})
