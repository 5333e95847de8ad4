import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildDefinition } from '../../operator/api/crd.ts'
import { legalSuite } from '../../operator/api/legal-suite.ts'
import { seedPackageApply } from '../../operator/api/seed-package-apply.ts'
import { ApiError } from '../../operator/runtime/api-error.ts'
import type { Client } from '../../operator/runtime/client.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'
import { getResource } from '../../operator/runtime/resources.ts'
import { suites } from '../../operator/testing/arbitrary.ts'
import { propertySeed } from '../../operator/testing/property-seed.ts'
import { fullSpec } from '../../operator/testing/suites.ts'
import { definitionResource } from './definitions.ts'
import { minimal, type Spec, seed, seedRules, suiteRules, transitionRules } from './rules.ts'
import { clusterClient, freshNamespace } from './support.ts'

const apiVersion = 'legalsuite.dev/v1alpha1'
const cases: [path: string, message: string][] = []

/** Matches the error of a rule: keys of maps and indexes of lists stand for any entry. */
const at = (path: string, message: string) => {
  const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const place =
    path === ''
      ? '<nil>'
      : escapeRegExp(path).replace('\\{\\}', '\\[[a-z-]+\\]').replace('\\[\\]', '\\[\\d+\\]')
  return new RegExp(`(^|[\\s:[,])${place}: Invalid value: [^,]*?${escapeRegExp(message)}`)
}

describe('CustomResourceDefinitions in a cluster', () => {
  let client: Client
  let namespace: Awaited<ReturnType<typeof freshNamespace>>
  beforeAll(async () => {
    client = await clusterClient()
    namespace = await freshNamespace(client)
  })
  afterAll(() => namespace[Symbol.asyncDispose]())

  const object = (kind: string, name: string, spec: Spec): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name, namespace: namespace.name },
    spec,
  })

  const put = (kind: string, name: string, spec: Spec, dryRun = false) =>
    client.apply(getResource(apiVersion, kind), object(kind, name, spec), {
      fieldManager: 'tests',
      force: true,
      dryRun,
    })

  /** Expects that the rule of this path rejects the attempt. */
  async function expectRejected(path: string, message: string, attempt: Promise<unknown>) {
    const error = await attempt.then(
      () => undefined,
      (error: unknown) => error as ApiError,
    )
    expect(error, message).toBeInstanceOf(ApiError)
    expect([error!.code, error!.message]).toEqual([422, expect.stringMatching(at(path, message))])
    cases.push([path, message])
  }

  test.each(suiteRules)('LegalSuite rule: %s: %s', async (path, message, bad, good) => {
    await expectRejected(path, message, put('LegalSuite', 'tried', bad, true))
    await put('LegalSuite', 'tried', good, true)
  })

  test.each(transitionRules.map((each, index) => [index, ...each] as const))(
    'LegalSuite transition rule %i: %s: %s',
    async (index, path, message, from, bad, good) => {
      const name = `change-${index}`
      await put('LegalSuite', name, from)
      await expectRejected(path, message, put('LegalSuite', name, bad))
      await put('LegalSuite', name, good)
    },
  )

  test.each(seedRules)('SeedPackageApply rule: %s: %s', async (path, message, bad, good) => {
    await expectRejected(path, message, put('SeedPackageApply', 'tried', bad, true))
    await put('SeedPackageApply', 'tried', good, true)
  })

  test('a SeedPackageApply is immutable after its start, and so is its run id', async () => {
    const resource = getResource(apiVersion, 'SeedPackageApply')
    const ref = { namespace: namespace.name, name: 'once' }
    await put('SeedPackageApply', 'once', seed)
    await put('SeedPackageApply', 'once', { ...seed, packageIds: ['two'] })
    const status = { subresource: 'status' } as const
    await client.merge(resource, ref, { status: { runId: 'r-1', phase: 'Running' } }, status)
    await expectRejected(
      '',
      'immutable after the run has started',
      put('SeedPackageApply', 'once', seed),
    )
    await expectRejected(
      'status',
      'runId is immutable',
      client.merge(resource, ref, { status: { runId: 'r-2' } }, status),
    )
    await client.merge(resource, ref, { status: { phase: 'Succeeded' } }, status)
    await client.merge(resource, ref, { metadata: { labels: { a: 'b' } } })
  })

  test('suite names are limited to 40 characters of a DNS label', async () => {
    await expectRejected(
      '',
      'the name must have at most 40',
      put('LegalSuite', 'a'.repeat(41), minimal, true),
    )
    await expectRejected(
      '',
      'the name must have at most 40',
      put('LegalSuite', 'a.b', minimal, true),
    )
    await expectRejected(
      '',
      'the name must have at most 40',
      put('LegalSuite', '1a', minimal, true),
    )
    await put('LegalSuite', 'a'.repeat(40), minimal, true)
  })

  test('every CEL rule has a case of its own', () => {
    const rules: [path: string, message: string][] = []
    const walk = (schema: Record<string, any>, path: string) => {
      for (const { message } of schema['x-kubernetes-validations'] ?? [])
        rules.push([path, message])
      const inner = (name: string) => (path ? `${path}.${name}` : name)
      for (const [name, each] of Object.entries(schema.properties ?? {}))
        walk(each as Record<string, any>, inner(name))
      if (schema.items) walk(schema.items, `${path}[]`)
      if (schema.additionalProperties) walk(schema.additionalProperties, `${path}{}`)
    }
    for (const each of [legalSuite, seedPackageApply])
      walk(buildDefinition(each).spec.versions[0]!.schema.openAPIV3Schema, '')
    const isTried = ([path, message]: [string, string]) =>
      cases.some(([triedPath, part]) => triedPath === path && message.includes(part))
    expect(rules.filter((rule) => !isTried(rule))).toEqual([])
    expect(rules.length).toBeGreaterThan(40)
  })

  test('the full spec is stored unchanged', async () => {
    await put('LegalSuite', 'full', fullSpec)
    const ref = { namespace: namespace.name, name: 'full' }
    const stored = await client.get(getResource(apiVersion, 'LegalSuite'), ref)
    expect(stored!.spec).toEqual(fullSpec)
  })

  test('the API server accepts every suite that the zod schema accepts', async () => {
    await fc.assert(
      fc.asyncProperty(suites, async ({ metadata, spec }) => {
        const stored = await put('LegalSuite', metadata.name, spec, true)
        expect(stored.spec).toEqual(JSON.parse(JSON.stringify(spec)))
      }),
      { numRuns: 60, seed: propertySeed },
    )
  })

  test('short names and columns are defined', async () => {
    const ref = { name: 'legalsuites.legalsuite.dev' }
    const { spec } = (await client.get<any>(definitionResource, ref))!
    expect(spec.names.shortNames).toContain('suite')
    expect(spec.versions[0].additionalPrinterColumns.map(({ name }: any) => name)).toContain(
      'Phase',
    )
  })
})
