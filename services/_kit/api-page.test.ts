import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { schemas } from './api-page/schemas.ts'
import { apiPage } from './api-page.ts'
import { silent } from './log.ts'
import { makeMetrics } from './metrics.ts'
import { defineService } from './service.ts'
import type { Driver } from './sql/sql.ts'

const refuse = () => Promise.reject(new Error('there is no database here'))
const database: Driver = { query: refuse, transaction: refuse, end: async () => {} }

const fetchPage = (env: Record<string, string> = {}) =>
  defineService({
    name: 'a-service',
    folder: 'a',
    schema: 'a',
    config: z.object({}),
    open: () => ({}),
    endpoints: [],
  })
    .start({
      env: { ENVIRONMENT: 'test', ...env },
      database,
      peers: () => refuse,
      log: silent,
      metrics: makeMetrics(),
      runtime: 'node',
      version: '1.2.3',
    })
    .fetch(new Request('http://test/api/v1/swagger-ui/index.html'))

const script = /<script [^>]*>(.*?)<\/script>/s.exec(apiPage('a-service', 'n'))![1]!

describe('API page', () => {
  test('the CSP of the API page allows only its own script and style, with a new nonce per response', async () => {
    const policies = new Set<string>()
    for (let time = 0; time < 2; time++) {
      const response = await fetchPage()
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toMatch('text/html')
      const policy = response.headers.get('content-security-policy')!
      expect(policy).toMatch(/^default-src 'none'; connect-src 'self';/)
      const nonce = /script-src 'nonce-([^']+)'/.exec(policy)![1]!
      expect(policy).toContain(`style-src 'nonce-${nonce}'`)
      const tags = (await response.text()).match(/<(script|style)[^>]*>/g)!
      expect(tags).toEqual([`<style nonce="${nonce}">`, `<script type="module" nonce="${nonce}">`])
      policies.add(policy)
    }
    expect(policies.size).toBe(2)
  })

  test('the API page returns 404 when the API description is disabled', async () => {
    const response = await fetchPage({ AI_BOOT_OPENAPI_ENABLED: 'false' })
    expect(response.status).toBe(404)
  })

  test('the API page loads no external resources', () => {
    const page = apiPage('a-service', 'n')
    expect(page).not.toMatch(/https?:|url\(|@import|\bimport\b/)
    const addresses = [...page.matchAll(/\b(?:src|href|action)="([^"]*)"/g)].map(([, url]) => url)
    expect(addresses).toEqual(['../v3/api-docs'])
  })

  test('the API page has no inline handlers or styles, which its CSP would block', () => {
    expect(apiPage('a-service', 'n')).not.toMatch(/<[^>]*\s(on\w+|style)=/)
  })

  test('the API page escapes the service name', () => {
    const page = apiPage('</title><img src=x onerror="alert(1)">&', 'n')
    expect(page).not.toContain('<img')
    expect(page).toContain(
      '<title>&lt;/title&gt;&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp; API',
    )
  })

  test('the script of the API page never writes description text as HTML', () => {
    expect(script).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|eval\(/,
    )
  })

  test('the script of the API page parses', () => {
    const AsyncFunction = (async () => {}).constructor as new (body: string) => unknown
    expect(() => new AsyncFunction(script)).not.toThrow()
  })
})

describe('example of a schema', () => {
  const loadSchemas = new Function(
    `${schemas}; return (json) => (description = json, { buildExample, describeType })`,
  )()
  const Tree = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }
  const recursive = {
    ...Tree,
    required: ['up'],
    properties: { up: { $ref: '#/components/schemas/R' } },
  }
  const { buildExample, describeType } = loadSchemas({
    components: { schemas: { Tree, R: recursive } },
  })

  test('an example has the required properties, or all if none is required', () => {
    const properties = { a: { type: 'integer', minimum: 3 }, b: { enum: ['x', 'y'] } }
    expect(buildExample({ type: 'object', required: ['a'], properties })).toEqual({ a: 3 })
    expect(buildExample({ type: 'object', properties })).toEqual({ a: 3, b: 'x' })
  })

  test('an example resolves references and stops at a recursive one', () => {
    expect(buildExample({ $ref: '#/components/schemas/Tree' })).toEqual({ id: 'text' })
    expect(buildExample({ $ref: '#/components/schemas/R' })).toEqual({ up: null })
  })

  test('an example uses the examples and the default of the schema', () => {
    expect(buildExample({ type: 'string', examples: ['given'], default: 'usual' })).toBe('given')
    expect(buildExample({ type: 'boolean', default: false })).toBe(false)
  })

  test('a type name is derived from the schema', () => {
    expect(describeType({ type: 'array', items: { $ref: '#/components/schemas/Tree' } })).toBe(
      'array of Tree',
    )
    expect(describeType({ anyOf: [{ type: 'string' }, { type: 'null' }] })).toBe('string or null')
    expect(describeType({ type: 'object', additionalProperties: { type: 'boolean' } })).toBe(
      'object of boolean',
    )
  })
})
