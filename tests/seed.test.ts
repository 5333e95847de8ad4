import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configsPackage, manifest, newLibrary } from './support/collector.ts'
import {
  readRowVersions,
  type SeedServices,
  startSeedServices,
  startSeedServicesOn,
} from './support/seed-services.ts'

const library = newLibrary()
const targets = ['platform', 'knowledge']
let at: SeedServices
beforeAll(async () => {
  at = await startSeedServices({ SEED_PACKAGES_DIR: library.directory })
})
afterAll(async () => {
  await at.close()
  library.drop()
})

const id = fc.constantFrom('a', 'b', 'c', 'd')
const text = fc.constantFrom('One', 'Two', '三')
const entries = fc.uniqueArray(fc.record({ id, text }), { selector: (each) => each.id })

/** Random contents of a package with one item of each kind. */
const packageContent = fc.record({
  configs: entries,
  flags: entries,
  groups: entries,
  elements: entries,
  profiles: entries,
  documents: entries,
})
type PackageContent = typeof packageContent extends fc.Arbitrary<infer T> ? T : never

const item = (item_id: string, kind: string, config: object, depends_on: string[] = []) => ({
  ...{ item_id, kind, config, depends_on },
})

function buildPackageWithAllKinds(name: string, entries: PackageContent) {
  const own = (id: string) => `${name}.${id}`
  return {
    'manifest.json': manifest(name, [
      item('configs', 'platform.seed.system_configs.upsert', { configs_json: 'data/configs.json' }),
      item('flags', 'platform.seed.feature_flags.upsert', { flags_json: ['data/flags.json'] }),
      item('tags', 'platform.seed.tags.upsert', { tags_json: 'data/tags.json' }, ['configs']),
      item('profiles', 'knowledge.seed.cause_of_action_profiles.import', {
        profiles_json: 'data/profiles.json',
      }),
      item(
        'structured',
        'knowledge.seed.structured.import',
        { litigation_elements_json: 'data/elements.json', sync_to_neo4j: true },
        ['profiles'],
      ),
      item('documents', 'knowledge.seed.system_kb_documents.import', {
        kb: { name: `sys_${name}` },
        documents_json: 'data/documents.json',
      }),
    ]),
    'data/configs.json': entries.configs.map(({ id, text }) => ({ key: own(id), value: { text } })),
    'data/flags.json': entries.flags.map(({ id, text }) => ({ key: own(id), description: text })),
    'data/tags.json': {
      tag_groups: entries.groups.map(({ id, text }) => ({ key: own(id), name: text })),
      tags: entries.groups.map(({ id, text }) => ({
        key: own(id),
        name: text,
        group_key: own(id),
      })),
    },
    'data/profiles.json': {
      profiles: entries.profiles.map(({ id, text }) => ({ code: own(id), name: text })),
    },
    'data/elements.json': entries.elements.map(({ id, text }) => ({
      element_id: own(id),
      cause_of_action_code: name,
      name: text,
    })),
    'data/documents.json': entries.documents.map(({ id }) => ({
      document_id: id,
      doc_type: 'statute',
      title: `Law ${id}`,
      content_file: `data/${id}.md`,
    })),
    ...Object.fromEntries(
      entries.documents.map(({ id, text }) => [`data/${id}.md`, `第一条 ${text}`]),
    ),
  }
}

const countsIn = ({ packages }: any) =>
  packages[0].items.map(({ item_id, counts }: any) => [item_id, counts])

describe('a package of every kind', () => {
  test('applies exactly the changes of its dry run after any edit, and nothing afterwards', async () => {
    let packages = 0
    await fc.assert(
      fc.asyncProperty(packageContent, packageContent, async (before, after) => {
        const name = `edited_${++packages}`
        library.put(name, buildPackageWithAllKinds(name, before))
        expect((await at.apply([name])).data.status).toBe('succeeded')
        library.put(name, buildPackageWithAllKinds(name, after))
        const untouched = await readRowVersions(at, targets)
        const { data: dry } = await at.apply([name], { dry_run: true, force: true })
        expect(await readRowVersions(at, targets)).toEqual(untouched)
        const expect_plan_hash = dry.plan_hash
        const { data: done } = await at.apply([name], { force: true, expect_plan_hash })
        expect([done.status, countsIn(done)]).toEqual(['succeeded', countsIn(dry)])
        expect(done.plan_hash).toBe(dry.plan_hash)
        const { data: again } = await at.apply([name], { dry_run: true, force: true })
        const remaining = again.packages[0].items.filter(
          ({ counts }: any) => counts.created + counts.updated + counts.deleted > 0,
        )
        expect(remaining).toEqual([])
      }),
      { numRuns: 6 },
    )
  }, 120_000)

  test('is rejected when a target changed after the plan was made', async () => {
    library.put('moved', configsPackage('moved', { one: { 'moved.k': 'seed' } }))
    const write = (value: unknown) =>
      at.call('platform-service', 'POST', '/api/v1/internal/platform/configs/batch', {
        configs: [{ key: 'moved.k', value }],
      })
    await write('first')
    const { data: dry } = await at.apply(['moved'], { dry_run: true })
    await write('second')
    const refused = await at.apply(['moved'], { expect_plan_hash: dry.plan_hash })
    expect([refused.status, refused.code]).toEqual([409, 'PLAN_MOVED'])
    const { data: now } = await at.apply(['moved'], { dry_run: true })
    const done = await at.apply(['moved'], { expect_plan_hash: now.plan_hash })
    expect(done.status).toBe(200)

    const { data: after } = await at.apply(['moved'], { dry_run: true })
    expect(after.packages[0].status).toBe('unchanged')
    await write('third')
    const drifted = await at.apply(['moved'], { expect_plan_hash: after.plan_hash })
    expect([drifted.status, drifted.code]).toEqual([409, 'PLAN_MOVED'])
  })
})

test('the plan hash depends on the records of knowledge-service that an apply would replace', async () => {
  const entries = (text: 'One' | 'Two' | '三'): PackageContent => ({
    ...{ configs: [], flags: [], groups: [] },
    elements: [{ id: 'a', text }],
    profiles: [{ id: 'a', text }],
    documents: [{ id: 'a', text }],
  })
  const hashes = new Set<string>()
  for (const text of ['Two', '三'] as const) {
    library.put('known', buildPackageWithAllKinds('known', entries(text)))
    await at.apply(['known'])
    library.put('known', buildPackageWithAllKinds('known', entries('One')))
    const { data } = await at.apply(['known'], { dry_run: true })
    const updated = data.packages[0].items.filter((item: any) => item.counts.updated === 1)
    expect(updated).toHaveLength(3)
    hashes.add(data.plan_hash)
  }
  expect(hashes.size).toBe(2)
})

describe('startup', () => {
  const env = { SEED_PACKAGES_DIR: library.directory, SEED_RESOURCES_ON_STARTUP: 'true' }
  const read = (key: string) =>
    at.call('platform-service', 'GET', `/api/v1/internal/platform/configs/${key}`)

  test('applies the bundled packages once for all replicas and writes nothing the second time', async () => {
    const some: PackageContent = {
      configs: [{ id: 'a', text: 'One' }],
      flags: [],
      groups: [],
      elements: [{ id: 'a', text: 'One' }],
      profiles: [{ id: 'a', text: 'One' }],
      documents: [{ id: 'a', text: 'One' }],
    }
    library.put(
      'knowledge_structured_seeds',
      buildPackageWithAllKinds('knowledge_structured_seeds', some),
    )
    library.put('platform_defaults', configsPackage('platform_defaults', { one: { seeded: 1 } }))
    const replicas = [startSeedServicesOn(at.driver, env), startSeedServicesOn(at.driver, env)]
    const summaries = await Promise.all(replicas.map(({ afterListen: settle }) => settle()))
    expect(summaries.sort()[0]).toBe(
      'platform_defaults applied (1 changes), knowledge_structured_seeds applied (4 changes)',
    )
    expect(summaries[1]).toBe('platform_defaults unchanged, knowledge_structured_seeds unchanged')
    expect((await read('seeded')).data.value).toBe(1)

    const before = await readRowVersions(at, targets)
    const later = startSeedServicesOn(at.driver, {
      ...env,
      SEED_PACKAGE_IDS_ON_STARTUP: 'platform_defaults,',
    })
    expect(await later.afterListen()).toBe(summaries[1])
    expect(await readRowVersions(at, targets)).toEqual(before)
  })

  test('does nothing unless startup seeding is enabled', async () => {
    const started = startSeedServicesOn(at.driver, { SEED_PACKAGES_DIR: library.directory })
    expect(await started.afterListen()).toBeUndefined()
  })

  test('that fails stops the service in production and logs a warning elsewhere', async () => {
    const summaries = {
      SEED_PACKAGES_DIR: library.directory,
      SEED_PACKAGE_IDS_ON_STARTUP: 'nowhere',
      INTERNAL_API_KEY: 'long-enough-for-production',
    }
    expect(await startSeedServicesOn(at.driver, summaries).afterListen()).toBe(
      'not seeded: There is no seed package nowhere.',
    )
    const production = startSeedServicesOn(at.driver, { ...summaries, ENVIRONMENT: 'production' })
    await expect(production.afterListen()).rejects.toThrow('There is no seed package nowhere.')
  })

  test('stops waiting for its targets at the timeout', async () => {
    const started = startSeedServicesOn(at.driver, {
      SEED_PACKAGES_DIR: library.directory,
      SEED_PACKAGE_IDS_ON_STARTUP: 'platform_defaults',
      SEED_STARTUP_WAIT_MS: '700',
    })
    started.disconnect('platform-service')
    expect(await started.afterListen()).toBe('not seeded: platform-service is not ready')
  })
})
