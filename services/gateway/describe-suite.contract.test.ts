import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import gateway from './service.ts'

const description = (path: string) => async () =>
  Response.json({
    openapi: '3.1.0',
    paths: {
      [path]: {
        get: {
          operationId: 'list',
          responses: {
            200: {
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Item' } } },
            },
          },
        },
      },
    },
    components: { schemas: { Item: { type: 'object', title: path } } },
  })

let at: Stage
beforeAll(async () => {
  at = await stage(gateway, {
    env: { HOST: '127.0.0.1' },
    peers: {
      'matter-service': description('/api/v1/matters'),
      'files-service': description('/api/v1/files'),
    },
  })
})
afterAll(() => at.close())

const read = (path: string) => at.fetch(new Request(`http://127.0.0.1${path}`))

test('the description holds the gateway and every service that responds, without clashes', async () => {
  const merged: any = await (await read('/api/v1/v3/api-docs')).json()
  const paths = Object.keys(merged.paths)
  expect(paths).toEqual(expect.arrayContaining(['/auth/me', '/matter-service/api/v1/matters']))
  expect(paths.some((path) => path.includes('internal'))).toBe(false)
  for (const [service, title] of [
    ['matter-service', '/api/v1/matters'],
    ['files-service', '/api/v1/files'],
  ]) {
    const { get } = merged.paths[`/${service}${title}`]
    expect(get).toMatchObject({ tags: [service], operationId: `${service}.list` })
    const { $ref } = get.responses[200].content['application/json'].schema
    expect(merged.components.schemas[$ref.split('/').at(-1)].title).toBe(title)
  }
})

test('the page is one for all services and has a strict policy', async () => {
  const response = await read('/api/v1/swagger-ui/index.html')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-security-policy')).toMatch(/script-src 'nonce-/)
})
