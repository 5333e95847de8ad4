import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type CollectorStage,
  configsItem,
  configsPackage,
  manifest,
  stageCollector,
} from '../../../tests/support/collector.ts'

let at: CollectorStage
beforeAll(async () => {
  at = await stageCollector()
})
afterAll(() => at.close())

/** Issues of a package that must be rejected. No record of the package may reach a target. */
async function readIssues(id: string): Promise<{ path: string; message: string }[]> {
  const { status, code, data } = await at.apply([id])
  expect([status, code]).toEqual([422, 'MANIFEST_INVALID'])
  expect(at.targets.requests).toEqual([])
  expect((await at.sql`select id from collector.seed_runs`).length).toBe(0)
  return data.issues
}

const reading = (paths: unknown, more = {}) => ({
  ...configsItem('one'),
  config: { configs_json: paths },
  ...more,
})

describe('a hostile package', () => {
  test('a package cannot read files outside its directory', async () => {
    writeFileSync(join(at.library.directory, 'secret.json'), '[{"key":"k","value":1}]')
    const paths = [
      '../secret.json',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: syntax of manifests.
      '${PACKAGE_DIR}/../secret.json',
      'data/../../secret.json',
      '/etc/hostname',
      'data\\..\\..\\secret.json',
      'data/x\u0000.json',
      '..',
    ]
    at.library.put('outside', { 'manifest.json': manifest('outside', [reading(paths)]) })
    const faults = await readIssues('outside')
    expect(faults.map(({ message }) => message)).toEqual(
      paths.map((path) => `${path}: The path leaves the package directory.`),
    )
    expect(faults[0]!.path).toBe('items.0.config.configs_json')
  })

  test('a package may link to its own files, not to files outside', async () => {
    const root = join(at.library.directory, 'links')
    at.library.put('links', {
      'manifest.json': manifest('links', [reading(['data/out.json', 'data/dir/x.json'])]),
      'data/real.json': [],
    })
    symlinkSync('/etc/hostname', join(root, 'data/out.json'))
    symlinkSync('/etc', join(root, 'data/dir'))
    symlinkSync('nowhere', join(root, 'data/dangling'))
    symlinkSync('loop', join(root, 'loop'))
    const faults = await readIssues('links')
    expect(faults.map(({ path }) => path).sort()).toEqual([
      ...['data/dangling', 'data/dir', 'data/out.json'],
      ...['items.0.config.configs_json', 'items.0.config.configs_json', 'loop'],
    ])
    expect(JSON.stringify(faults)).not.toContain('/etc')

    const mounted = join(at.library.directory, 'mounted')
    mkdirSync(join(mounted, '..data'), { recursive: true })
    const content = JSON.stringify(manifest('mounted', []))
    writeFileSync(join(mounted, '..data/manifest.json'), content)
    symlinkSync('..data/manifest.json', join(mounted, 'manifest.json'))
    expect((await at.apply(['mounted'], { dry_run: true })).status).toBe(200)
    await at.sql`delete from collector.seed_runs`
  })

  test('a package with 100,000 items or issues gets a bounded error', async () => {
    const items = Array.from({ length: 100_000 }, (_, n) => configsItem(`i${n}`))
    at.library.put('many', { 'manifest.json': manifest('many', items) })
    expect(await readIssues('many')).toEqual([
      { path: 'items', message: 'The package has 100000 items; the limit is 1000.' },
    ])
    const wrong = items.slice(0, 1_000).map(({ item_id }) => ({ item_id, kind: 'none' }))
    at.library.put('wrong', { 'manifest.json': manifest('wrong', wrong) })
    const faults = await readIssues('wrong')
    expect(faults).toHaveLength(501)
    expect(faults.at(-1)).toEqual({ path: '', message: '500 more issues.' })
  })

  test('a package with dependency cycles gets each cycle reported', async () => {
    const chain = Array.from({ length: 900 }, (_, n) => configsItem(`n${n}`, [`n${(n + 1) % 900}`]))
    const items = [configsItem('self', ['self']), configsItem('a', ['b']), configsItem('b', ['a'])]
    at.library.put('circles', { 'manifest.json': manifest('circles', [...items, ...chain]) })
    const circles = (await readIssues('circles')).filter(({ path }) => path === 'items')
    expect(circles.slice(0, 2)).toEqual([
      { path: 'items', message: 'Dependency cycle: self → self.' },
      { path: 'items', message: 'Dependency cycle: a → b → a.' },
    ])
    expect(circles).toHaveLength(3)
  })

  test('a package with wrong types gets every issue reported', async () => {
    at.library.put('types', {
      'manifest.json': {
        schema_version: '1',
        package_id: 7,
        name: '',
        version: '20260131',
        items: [
          null,
          'x',
          { item_id: 1, kind: 7 },
          configsItem('ok'),
          configsItem('ok'),
          { ...configsItem('c'), config: [] },
        ],
      },
      'data/ok.json': { configs: 'none' },
    })
    const paths = (await readIssues('types')).map(({ path }) => path)
    expect(paths).toEqual([
      ...['schema_version', 'package_id', 'name', 'version'],
      ...['items.0', 'items.1', 'items.2.item_id', 'items.2.kind', 'items.5.config'],
      ...['items.4.item_id', 'items.3.config.configs_json', 'items.4.config.configs_json'],
    ])
    for (const text of ['', '[]', '7', 'null', '{"items": {}}', '\xff\xfe', '[['.repeat(200_000)]) {
      at.library.put('nothing', { 'manifest.json': text })
      expect((await readIssues('nothing')).length).toBeGreaterThan(0)
    }
  })

  test('a package with invalid data files gets file and position reported', async () => {
    const items = [
      reading(['data/broken.json', 'data/lost.json', 'data/shape.json', 'data/binary.json']),
    ]
    at.library.put('data', {
      'manifest.json': manifest('data', items),
      'data/broken.json': '[{]',
      'data/shape.json': [{ key: 'fine' }, { key: 7.5 }, {}],
      'data/binary.json': '',
    })
    writeFileSync(join(at.library.directory, 'data/data/binary.json'), Buffer.from([0xff, 0xfe]))
    const messages = (await readIssues('data')).map(({ message }) => message)
    expect(messages).toMatchObject([
      'data/broken.json: Not JSON.',
      'data/lost.json: File not found.',
      expect.stringMatching(/^data\/shape\.json at 1\.key: /),
      expect.stringMatching(/^data\/shape\.json at 2\.key: /),
      'data/binary.json: Not JSON.',
    ])
  })

  test('a package with huge files is rejected without reading them', async () => {
    at.library.put('huge', configsPackage('huge', { one: {} }))
    const file = join(at.library.directory, 'huge/data/one.json')
    truncateSync(file, 3 * 2 ** 30)
    const faults = await readIssues('huge')
    expect(faults).toContainEqual({ path: '', message: 'The package exceeds 512 MiB.' })
    expect(faults).toContainEqual({
      path: 'data/one.json',
      message: 'The file has 3072 MiB; the limit is 32 MiB.',
    })
    at.library.put('manifest', { 'manifest.json': '{}' })
    truncateSync(join(at.library.directory, 'manifest/manifest.json'), 20 * 2 ** 20)
    expect((await readIssues('manifest'))[0]!.message).toBe('The manifest exceeds 16 MiB.')
  })

  test('a package with two items for the same records is rejected', async () => {
    const structuredItem = (item_id: string) => ({
      item_id,
      kind: 'knowledge.seed.structured.import',
      config: {},
    })
    const documents = (item_id: string, name: string) => ({
      item_id,
      kind: 'knowledge.seed.system_kb_documents.import',
      config: { kb: { name }, documents_json: 'data/documents.json' },
    })
    at.library.put('twice', {
      'manifest.json': manifest('twice', [
        structuredItem('s1'),
        structuredItem('s2'),
        documents('d1', 'sys_a'),
        documents('d2', 'sys_b'),
        documents('d3', 'sys_a'),
      ]),
      'data/documents.json': [],
    })
    const faults = await readIssues('twice')
    expect(faults.map(({ path }) => path)).toEqual(['items.1.kind', 'items.4.kind'])
    expect(faults[1]!.message).toContain('Items d1 and d3 both import the base sys_a')
  })
})
