import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LegalSuiteSpec } from '../api/legal-suite.ts'
import { suites } from '../testing/arbitrary.ts'
import { propertySeed } from '../testing/property-seed.ts'
import { allContainers, podTemplate } from '../testing/queries.ts'
import { violations } from '../testing/restricted.ts'
import { generatedSecrets } from './generated-secrets.ts'
import { desired } from './index.ts'
import { parseQuantity } from './pod.ts'
import { waves } from './waves.ts'

const facts = {
  secrets: new Map<string, string>(),
  operatorNamespace: 'operators',
}
const check = (property: (suite: Parameters<typeof desired>[0]) => void) =>
  fc.assert(fc.property(suites, property), { numRuns: 60, seed: propertySeed })

test('generated suites are valid', () => {
  check(({ spec }) => void LegalSuiteSpec.parse(spec))
})

test('every pod of any suite satisfies the restricted standard', () => {
  check((suite) => {
    const assignedIds = suite.spec.pods?.userIds === 'Assigned'
    for (const pod of desired(suite, facts).flatMap((each) => podTemplate(each) ?? []))
      expect(violations(pod, assignedIds)).toEqual([])
  })
})

test('the restricted check finds violations', () => {
  const pod = { metadata: { labels: {}, annotations: {} }, spec: { containers: [{ name: 'a' }] } }
  expect(violations(pod).length).toBeGreaterThan(5)
})

test('objects of any suite have unique valid names and labels', () => {
  check((suite) => {
    const objects = desired(suite, facts)
    const ids = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { kind, metadata } of objects) {
      expect(metadata.name).toMatch(/^[a-z]([-a-z0-9]*[a-z0-9])?$/)
      expect(metadata.name.length).toBeLessThanOrEqual(kind === 'StatefulSet' ? 52 : 63)
      expect(metadata.namespace).toBe('legal')
      expect(metadata.labels).toMatchObject({
        'app.kubernetes.io/managed-by': 'legal-suite-operator',
        'legalsuite.dev/suite': suite.metadata.name,
      })
      for (const value of Object.values(metadata.labels!)) expect(value.length).toBeLessThan(64)
    }
  })
})

test('no suite has more objects than the inventory can hold', () => {
  check((suite) => {
    expect(desired(suite, facts).length + generatedSecrets(suite).length).toBeLessThan(128)
  })
})

test('equal suites give equal objects without duplicate list entries', () => {
  check((suite) => {
    const objects = desired(suite, facts)
    expect(desired(structuredClone(suite), facts)).toEqual(objects)
    for (const pod of objects.flatMap((each) => podTemplate(each) ?? [])) {
      for (const { env = [], volumeMounts = [] } of allContainers(pod)) {
        const names = env.map(({ name }: { name: string }) => name)
        expect(new Set(names).size).toBe(names.length)
        const paths = volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)
        expect(new Set(paths).size).toBe(paths.length)
      }
    }
  })
})

test('no object contains a secret value', () => {
  check((suite) => {
    const objects = desired(suite, facts)
    expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([])
    const written = generatedSecrets(suite).flatMap(({ values }) =>
      Object.values(values(() => 'hush-hush')),
    )
    expect(written.join()).toContain(
      suite.spec.internalKey && written.length === 0 ? '' : 'hush-hush',
    )
    expect(JSON.stringify(objects)).not.toContain('hush-hush')
  })
})

test('no request exceeds its limit', () => {
  check((suite) => {
    for (const pod of desired(suite, facts).flatMap((each) => podTemplate(each) ?? [])) {
      for (const { resources } of allContainers(pod)) {
        expect(resources.limits.memory).toBeDefined()
        for (const [name, request] of Object.entries<string>(resources.requests)) {
          const limit = resources.limits[name]
          if (limit) expect(parseQuantity(request)).toBeLessThanOrEqual(parseQuantity(limit))
        }
      }
    }
  })
})

test('every service is in one wave, after the services it calls', () => {
  const flat = waves.flat()
  expect(new Set(flat).size).toBe(flat.length)
  const asks = { matter: ['memory', 'files', 'platform'], 'ai-engine': ['matter', 'knowledge'] }
  for (const [name, others] of Object.entries(asks))
    for (const other of others)
      expect(flat.indexOf(other as never)).toBeLessThan(flat.indexOf(name as never))
})
