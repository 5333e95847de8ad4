import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { suite } from '../_run/services.ts'
import { endpoints } from './endpoint.ts'
import { organization, permission, requireAll } from './identity.ts'
import type { Json } from './openapi/schemas.ts'
import { filterPaths, prefixes } from './openapi/visible.ts'
import { describe as description } from './openapi.ts'

const listOperations = (document: Json) =>
  Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ path, method, operation })),
  )

const findRefs = (json: unknown) =>
  [...JSON.stringify(json).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, pointer]) => pointer!)

const at = (document: Json, pointer: string) =>
  pointer.split('/').reduce<any>((json, step) => json?.[step], document)

describe.each(suite.map((service) => [service.name, service] as const))('%s', (name, service) => {
  const document = description(name, '1.2.3', service.endpoints)
  const operations = listOperations(document)

  test('the description is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document))
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  test('every endpoint is described once with a unique operation id', () => {
    expect(operations).toHaveLength(service.endpoints.length)
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('every reference resolves', () => {
    for (const pointer of findRefs(document)) expect(at(document, pointer), pointer).toBeDefined()
  })

  test('the parameters in each path equal the described path parameters', () => {
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
      const described = operation.parameters.filter((each: Json) => each.in === 'path')
      expect(described.map((each: Json) => each.name).sort(), path).toEqual(inPath.sort())
      expect(path).not.toMatch(/[:*]/)
    }
  })

  test('each parameter is described once with a schema', () => {
    for (const { path, operation } of operations) {
      const places = operation.parameters.map((each: Json) => `${each.in} ${each.name}`)
      expect(new Set(places).size, path).toBe(places.length)
      for (const { schema } of operation.parameters) expect(Object.keys(schema)).not.toEqual([])
    }
  })

  test('every operation has a success response and its faults, and all JSON has a schema', () => {
    for (const { path, operation } of operations) {
      const statuses = Object.keys(operation.responses)
      expect(
        statuses.some((status) => /^[23]/.test(status)),
        path,
      ).toBe(true)
      expect(statuses).toContain('400')
      for (const [status, { description, content }] of Object.entries<Json>(operation.responses)) {
        expect(description).not.toBe('')
        // Binary responses have no JSON schema, but every fault is JSON.
        const json = content['application/json'] ?? content['application/scim+json']
        if (json || status >= '400') expect(json.schema, `${path} ${status}`).toBeDefined()
      }
    }
  })

  test('every example is valid for its request schema', () => {
    for (const { path, spec } of service.endpoints) {
      if (spec.example === undefined) continue
      expect(spec.body?.safeParse(spec.example).error, path).toBeUndefined()
    }
  })

  test('internal paths and no others require the internal key', () => {
    for (const { path, operation } of operations) {
      const internal = path.startsWith('/api/v1/internal/')
      expect(operation.security, path).toEqual(internal ? [{ internalKey: [] }] : undefined)
      expect('401' in operation.responses || !internal, path).toBe(true)
    }
  })
})

const { get, post, put } = endpoints<object>()
const handler = async () => new Response()
const Thing = z
  .object({ id: z.string(), size: z.int().default(1), version: z.int() })
  .meta({ id: 'Thing' })

describe('API description', () => {
  test('an endpoint with several guards describes the headers and the faults of each', () => {
    const { get } = endpoints()
    const guard = requireAll(permission('notes:read'), organization)
    const spec = { summary: 'List notes', guard, responses: { 200: z.object({}) } }
    const document = description('notes', '1', [get('/notes', spec, () => Promise.reject())])
    const { parameters, responses } = document.paths['/notes'].get
    expect(parameters.map(({ name, required }: Json) => [name, required])).toEqual([
      ['X-Permissions', false],
      ['X-Organization-Id', true],
    ])
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '400', '403']))
  })

  test('path parameters are written in OpenAPI syntax', () => {
    const params = z.object({ id: z.string() })
    const { paths } = description('a', '1', [
      get('/api/v1/things/:id{[^/]{36}}/x', { summary: 's', params, responses: {} }, handler),
    ])
    expect(Object.keys(paths)).toEqual(['/api/v1/things/{id}/x'])
    expect(paths['/api/v1/things/{id}/x'].get.operationId).toBe('getThingsIdX')
  })

  test('a schema gets an Input variant if a request requires fewer fields than a response', () => {
    const { components } = description('a', '1', [
      put(
        '/api/v1/things/:id',
        {
          summary: 's',
          params: z.object({ id: z.string() }),
          body: Thing,
          responses: { 200: Thing },
        },
        handler,
      ),
    ])
    expect(components.schemas.Thing.required).toEqual(['id', 'size', 'version'])
    expect(components.schemas.ThingInput.required).toEqual(['id', 'version'])
  })

  test('unnamed recursive schemas stay distinct', () => {
    const Tree: z.ZodType = z.object({
      get trees() {
        return z.array(Tree)
      },
    })
    const Wood: z.ZodType = z.object({
      get woods() {
        return z.array(Wood)
      },
    })
    const document = description('a', '1', [
      get('/api/v1/trees', { summary: 's', responses: { 200: Tree } }, handler),
      get('/api/v1/woods', { summary: 's', responses: { 200: Wood } }, handler),
    ])
    const dataSchema = (path: string) =>
      document.paths[path].get.responses[200].content['application/json'].schema.properties.data
    const [tree, wood] = [dataSchema('/api/v1/trees'), dataSchema('/api/v1/woods')].map(
      ({ $ref }) => at(document, $ref.slice(2)),
    )
    expect(Object.keys(tree.properties)).toEqual(['trees'])
    expect(Object.keys(wood.properties)).toEqual(['woods'])
    expect(wood.properties.woods.items.$ref).toBe(dataSchema('/api/v1/woods').$ref)
  })

  test('a record schema keeps the type of its values', () => {
    const { paths } = description('a', '1', [
      get(
        '/api/v1/flags',
        { summary: 's', responses: { 200: z.record(z.string(), z.boolean()) } },
        handler,
      ),
    ])
    const { schema } = paths['/api/v1/flags'].get.responses[200].content['application/json']
    expect(schema.properties.data).toEqual({
      type: 'object',
      additionalProperties: { type: 'boolean' },
    })
  })

  test('a versioned response has an ETag, and an update accepts If-Match', () => {
    const { paths } = description('a', '1', [
      post(
        '/api/v1/things',
        {
          summary: 's',
          body: Thing,
          responses: { 201: Thing },
          versioned: true,
          idempotencyKey: true,
        },
        handler,
      ),
      put(
        '/api/v1/things',
        {
          summary: 's',
          body: Thing,
          responses: { 200: z.object({ done: z.boolean() }) },
          versioned: true,
        },
        handler,
      ),
    ])
    const { post: createOperation, put: changed } = paths['/api/v1/things']
    const names = (operation: Json) => operation.parameters.map((each: Json) => each.name)
    expect(names(createOperation)).toEqual(['Idempotency-Key'])
    expect(names(changed)).toEqual(['If-Match'])
    expect(createOperation.responses[201].headers.ETag.required).toBe(true)
    expect(changed.responses[200].headers.ETag).toBeUndefined()
    expect(changed.responses[409].description).toBe('VERSION_CONFLICT')
  })
})

describe('filtered API description', () => {
  const Hidden = z.object({ secret: z.string() }).meta({ id: 'Hidden' })
  const document = description('a', '1', [
    get('/api/v1/things', { summary: 's', responses: { 200: Thing } }, handler),
    get('/api/v1/internal/things', { summary: 's', responses: { 200: Hidden } }, handler),
    get('/internal/things', { summary: 's', responses: { 200: Hidden } }, handler),
  ])
  const filterDocument = (include: string, exclude: string) =>
    filterPaths(document, prefixes(include), prefixes(exclude))

  test('a path is shown if it has an included prefix and no excluded one', () => {
    expect(Object.keys(filterDocument('/api/', '/api/v1/internal/').paths)).toEqual([
      '/api/v1/things',
    ])
    expect(Object.keys(filterDocument('/api/, /internal/', '').paths)).toHaveLength(3)
    expect(Object.keys(filterDocument('/api/v2/', '').paths)).toEqual([])
  })

  test('schemas of hidden paths are removed', () => {
    const { components, paths } = filterDocument('/api/', '/api/v1/internal/')
    expect(Object.keys(components.schemas).sort()).toEqual(['Fault', 'Thing'])
    for (const pointer of findRefs(paths)) expect(at({ components }, pointer)).toBeDefined()
    expect(Object.keys(document.components.schemas)).toContain('Hidden')
  })
})
