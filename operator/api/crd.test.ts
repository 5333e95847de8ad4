import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { fullSpec, minimalSpec } from '../testing/suites.ts'
import { buildDefinition, toStructuralSchema } from './crd.ts'
import { LegalSuiteSpec, legalSuite } from './legal-suite.ts'
import { seedPackageApply } from './seed-package-apply.ts'

type Schema = { [member: string]: any }

/** Yields every node of a schema with its path. */
function* nodes(schema: Schema, path = ''): Generator<[string, Schema]> {
  yield [path, schema]
  for (const [name, property] of Object.entries<Schema>(schema.properties ?? {}))
    yield* nodes(property, `${path}.${name}`)
  if (schema.items) yield* nodes(schema.items, `${path}[]`)
  if (schema.additionalProperties) yield* nodes(schema.additionalProperties, `${path}{}`)
}

const openApiSchema = (resource: typeof legalSuite): Schema =>
  buildDefinition(resource).spec.versions[0]!.schema.openAPIV3Schema

describe.each([legalSuite, seedPackageApply])('CustomResourceDefinition of $kind', (resource) => {
  const all = [...nodes(openApiSchema(resource))]

  test('contains only keywords of structural schemas', () => {
    for (const [path, node] of all) {
      expect(typeof node.type, path).toBe('string')
      for (const word of ['$ref', '$schema', 'anyOf', 'oneOf', 'allOf', 'not', 'const', 'default'])
        expect(node, path).not.toHaveProperty(word)
      if (node.properties) expect(node, path).not.toHaveProperty('additionalProperties')
    }
  })

  test('bounds every string, list and map and sets a merge strategy for lists', () => {
    for (const [path, node] of all) {
      if (/^\.(apiVersion|kind|metadata)?$/.test(path) || path === '') continue
      if (node.type === 'string') expect(node.maxLength ?? node.enum, path).toBeDefined()
      if (node.type === 'object')
        expect(
          node['x-kubernetes-preserve-unknown-fields'] ?? node.properties ?? node.maxProperties,
          path,
        ).toBeDefined()
      if (node.type !== 'array') continue
      expect(node.maxItems, path).toBeGreaterThan(0)
      expect(node['x-kubernetes-list-type'], path).toMatch(/^(map|set|atomic)$/)
      for (const key of node['x-kubernetes-list-map-keys'] ?? [])
        expect(node.items.required, path).toContain(key)
    }
  })

  test('has rules with messages, the status subresource and columns with existing paths', () => {
    for (const [path, node] of all)
      for (const { rule, message } of node['x-kubernetes-validations'] ?? [])
        expect([rule, message], path).toEqual([expect.any(String), expect.stringMatching(/\w/)])
    const [version] = buildDefinition(resource).spec.versions
    expect(version!.subresources).toEqual({ status: {} })
    const paths = new Set(all.map(([path]) => path))
    for (const { jsonPath } of resource.columns.filter(({ name }) => name !== 'Age'))
      expect(paths, jsonPath).toContain(jsonPath.replace(/\[.*?\]/, '[]'))
  })
})

test('an unbounded schema or a union is rejected', () => {
  expect(() => toStructuralSchema(z.object({ a: z.string() }))).toThrow('maxLength')
  expect(() => toStructuralSchema(z.object({ a: z.array(z.string().max(1)) }))).toThrow('maxItems')
  expect(() => toStructuralSchema(z.object({ a: z.record(z.string(), z.boolean()) }))).toThrow(
    'maxProperties',
  )
  expect(() => toStructuralSchema(z.object({ a: z.union([z.boolean(), z.int()]) }))).toThrow(
    'no type',
  )
})

test('the minimal and the full spec are valid', () => {
  expect(LegalSuiteSpec.safeParse(minimalSpec).error).toBeUndefined()
  expect(LegalSuiteSpec.safeParse(fullSpec).error).toBeUndefined()
  const unsaid = Object.keys(LegalSuiteSpec.shape).filter((name) => !(name in fullSpec))
  expect(unsaid).toEqual([])
})
