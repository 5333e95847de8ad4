import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LegalSuiteSpec } from '../api/legal-suite.ts'
import { suites } from '../testing/arbitrary.ts'
import { containersOf, podOf } from '../testing/look.ts'
import { violations } from '../testing/restricted.ts'
import { generated } from './generated.ts'
import { desired } from './index.ts'
import { amountOf } from './pod.ts'
import { waves } from './waves.ts'

const facts = {
  apis: new Set(['monitoring.coreos.com/v1', 'gateway.networking.k8s.io/v1']),
  secrets: new Map<string, string>(),
  operatorNamespace: 'operators',
}
const check = (property: (suite: Parameters<typeof desired>[0]) => void) =>
  fc.assert(fc.property(suites, property), { numRuns: 60 })

test('the suites that are tried are valid ones', () => {
  check(({ spec }) => void LegalSuiteSpec.parse(spec))
})

test('every pod of any suite passes the restricted standard', () => {
  check((suite) => {
    for (const pod of desired(suite, facts).flatMap((each) => podOf(each) ?? []))
      expect(violations(pod)).toEqual([])
  })
})

test('the check of pods finds what is wrong with one', () => {
  const pod = { metadata: { labels: {}, annotations: {} }, spec: { containers: [{ name: 'a' }] } }
  expect(violations(pod).length).toBeGreaterThan(5)
})

test('objects of any suite have names and labels of their own that fit', () => {
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

test('no more objects come of any suite than its status has room for', () => {
  check((suite) => {
    expect(desired(suite, facts).length + generated(suite).length).toBeLessThan(128)
  })
})

test('the same suite gives the same objects, and they say nothing twice', () => {
  check((suite) => {
    const objects = desired(suite, facts)
    expect(desired(structuredClone(suite), facts)).toEqual(objects)
    for (const pod of objects.flatMap((each) => podOf(each) ?? [])) {
      for (const { env = [], volumeMounts = [] } of containersOf(pod)) {
        const names = env.map(({ name }: { name: string }) => name)
        expect(new Set(names).size).toBe(names.length)
        const paths = volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)
        expect(new Set(paths).size).toBe(paths.length)
      }
    }
  })
})

test('no object holds a secret: values come by reference or not at all', () => {
  check((suite) => {
    const objects = desired(suite, facts)
    expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([])
    const written = generated(suite).flatMap(({ values }) =>
      Object.values(values(() => 'hush-hush')),
    )
    expect(written.join()).toContain(
      suite.spec.internalKey && written.length === 0 ? '' : 'hush-hush',
    )
    expect(JSON.stringify(objects)).not.toContain('hush-hush')
  })
})

test('nothing is asked for beyond its limit', () => {
  check((suite) => {
    for (const pod of desired(suite, facts).flatMap((each) => podOf(each) ?? [])) {
      for (const { resources } of containersOf(pod)) {
        expect(resources.limits.memory).toBeDefined()
        for (const [name, request] of Object.entries<string>(resources.requests)) {
          const limit = resources.limits[name]
          if (limit) expect(amountOf(request)).toBeLessThanOrEqual(amountOf(limit))
        }
      }
    }
  })
})

test('every service is in one wave, after those it asks', () => {
  const flat = waves.flat()
  expect(new Set(flat).size).toBe(flat.length)
  const asks = { matter: ['memory', 'files', 'platform'], 'ai-engine': ['matter', 'knowledge'] }
  for (const [name, others] of Object.entries(asks))
    for (const other of others)
      expect(flat.indexOf(other as never)).toBeLessThan(flat.indexOf(name as never))
})
