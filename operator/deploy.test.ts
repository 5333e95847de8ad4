import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { LegalSuiteSpec } from './api/legal-suite.ts'
import { SeedPackageApplySpec } from './api/seed-package-apply.ts'
import { desired } from './desired/index.ts'

const read = (path: string): any[] =>
  parseAllDocuments(readFileSync(new URL(path, import.meta.url), 'utf8')).map((each) => each.toJS())

const yamlFiles = (folder: string) =>
  readdirSync(new URL(folder, import.meta.url)).filter((name) => name.endsWith('.yaml'))

describe('shipped manifests', () => {
  test('files sort so that the ServiceAccount and its permissions exist before the pods', () => {
    const kinds = yamlFiles('deploy/')
      .sort()
      .flatMap((file) => read(`deploy/${file}`))
    const order = kinds.map(({ kind }) => kind)
    expect(order.indexOf('ServiceAccount')).toBe(0)
    expect(order.indexOf('Deployment')).toBeGreaterThan(order.lastIndexOf('RoleBinding'))
  })

  test('the ClusterRole has the rules of the Role', () => {
    const [role] = read('deploy/2-role.yaml')
    const [clusterRole] = read('deploy/cluster-wide/cluster-role.yaml')
    expect(clusterRole.rules).toEqual(role.rules)
  })

  test('pods can only be listed and watched, and logs cannot be read', () => {
    const rules = read('deploy/2-role.yaml').flatMap(({ rules }) => rules)
    const ofPods = rules.filter(({ resources }) =>
      resources.some((name: string) => name.startsWith('pods')),
    )
    expect(ofPods).toEqual([{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] }])
  })

  test.each(yamlFiles('samples/'))('sample %s is valid and builds', (file) => {
    for (const { kind, metadata, spec } of read(`samples/${file}`)) {
      if (kind === 'SeedPackageApply') SeedPackageApplySpec.strict().parse(spec)
      else {
        LegalSuiteSpec.strict().parse(spec)
        expect(
          desired({ metadata: { namespace: 'legal', ...metadata }, spec }).length,
        ).toBeGreaterThan(20)
      }
    }
  })
})
