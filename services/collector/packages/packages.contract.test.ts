import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type CollectorStage,
  configsPackage,
  internal,
  manifest,
  stageCollector,
} from '../../../tests/support/collector.ts'
import { key, testProject } from '../../../tests/support/stage.ts'

if (testProject === 'workerd')
  console.warn('skipped: there are no directories of packages on workerd')

let at: CollectorStage
beforeAll(async () => {
  at = await stageCollector()
})
afterAll(() => at.close())

test.runIf(testProject === 'workerd')(
  'without a file system every package endpoint returns 503',
  async () => {
    const responses = [
      await at.get(internal),
      await at.get(`${internal}/any/manifest`),
      await at.get(`${internal}/any/download`),
      await at.apply(['any']),
    ]
    for (const { status, code, message } of responses) {
      expect([status, code]).toEqual([503, 'UPSTREAM_UNAVAILABLE'])
      expect(message).toContain('this runtime has none')
    }
  },
)

describe.skipIf(testProject === 'workerd')('packages', () => {
  test('packages are listed with their status', async () => {
    at.library.put('b_right', configsPackage('b_right', { one: { k: 1 } }))
    at.library.put('a_wrong', { 'manifest.json': '{' })
    at.library.put('no_manifest', { 'data/x.json': [] })
    const { data } = await at.get(internal)
    expect(data).toMatchObject({ total: 2, page: 1, size: 20 })
    expect(data.items).toMatchObject([
      { package_id: 'a_wrong', status: 'invalid', issues: 1, name: null },
      { package_id: 'b_right', status: 'new', issues: 0, items: 1, applied: null },
    ])
    const { data: run } = await at.apply(['b_right'])
    const [, after] = (await at.get(internal)).data.items
    expect(after).toMatchObject({ status: 'applied', applied: { run_id: run.run_id } })
    at.library.put('b_right', configsPackage('b_right', { one: { k: 2 } }))
    expect((await at.get(`${internal}?page=2&size=1`)).data.items[0].status).toBe('changed')
  })

  test('a package returns its manifest or all its issues', async () => {
    at.library.put('shown', configsPackage('shown', { one: { k: 1 } }))
    const { data } = await at.get(`${internal}/shown/manifest`)
    expect(data).toMatchObject({ package_id: 'shown', version: '2026-01-31', schema_version: 1 })
    expect(data.items[0].config.configs_json).toMatch(/^.\{PACKAGE_DIR\}\/data\/one.json$/)
    const items = [
      { item_id: 'x', kind: 'no.such.kind', depends_on: ['y', 'lost'] },
      { item_id: 'y', kind: 'platform.seed.tags.upsert', depends_on: ['x'] },
    ]
    at.library.put('faulty', {
      'manifest.json': { ...manifest('other', items), version: '2026-02-30' },
    })
    const refused = await at.get(`${internal}/faulty/manifest`)
    expect([refused.status, refused.code]).toEqual([422, 'MANIFEST_INVALID'])
    expect(refused.data.issues.map(({ path }: { path: string }) => path)).toEqual([
      'version',
      'items.0.kind',
      'items.0.depends_on.1',
      'items',
      'items.1.config.tags_json',
    ])
    const circle = refused.data.issues[3].message
    expect(circle).toContain('x → y → x')
    expect((await at.get(`${internal}/nowhere/manifest`)).status).toBe(404)
    expect((await at.get(`${internal}/${encodeURIComponent('../shown')}/manifest`)).status).toBe(
      404,
    )
  })

  test('a package is downloaded as identical bytes each time', async () => {
    at.library.put('zipped', {
      ...configsPackage('zipped', { one: { k: 1 } }),
      'README.md': '# 说明',
      'scripts/make.sh': 'true\n'.repeat(10_000),
    })
    const download = async () => {
      const headers = { 'x-internal-api-key': key }
      const request = new Request(`http://test${internal}/zipped/download`, { headers })
      const response = await at.fetch(request)
      expect(response.headers.get('content-type')).toBe('application/zip')
      expect(response.headers.get('content-disposition')).toContain('zipped-2026-01-31.zip')
      return new Uint8Array(await response.arrayBuffer())
    }
    const first = await download()
    const files = unzipSync(first)
    expect(Object.keys(files)).toEqual([
      'zipped/README.md',
      'zipped/data/one.json',
      'zipped/manifest.json',
      'zipped/scripts/make.sh',
    ])
    expect(new TextDecoder().decode(files['zipped/README.md'])).toBe('# 说明')
    // Rewritten with another modification time.
    at.library.put('zipped', {
      'scripts/make.sh': 'true\n'.repeat(10_000),
      'README.md': '# 说明',
      ...configsPackage('zipped', { one: { k: 1 } }),
    })
    expect(Buffer.compare(await download(), first)).toBe(0)
  })
})

describe('the paths', () => {
  test('paths under /internal require the key and equal those under /api/v1/internal', async () => {
    for (const path of ['/internal/seed-packages/runs', `${internal}/runs`]) {
      expect((await at.get(path)).status).toBe(200)
      expect((await at.get(path, { 'x-internal-api-key': 'wrong' })).status).toBe(401)
    }
    const health = await at.get('/internal/actuator/health', { 'x-internal-api-key': undefined })
    expect(health.status).toBe(200)
    expect((await at.get('/internal/actuator/info', { 'x-internal-api-key': '' })).status).toBe(401)
    expect((await at.get('/internal/nothing')).status).toBe(404)
  })
})

test.skipIf(testProject === 'workerd')(
  'people with the permission read packages and runs, others do not',
  async () => {
    at.library.put('shown_outside', configsPackage('shown_outside', { one: { k: 1 } }))
    const { data: run } = await at.apply(['shown_outside'])
    const read = (path: string, permissions: string) =>
      at.call('GET', `/api/v1/seed-packages${path}`, {
        headers: {
          'x-internal-api-key': undefined,
          'x-user-id': 'admin',
          'x-permissions': permissions,
        },
      })
    for (const path of ['', '/shown_outside/manifest', '/runs', `/runs/${run.run_id}`]) {
      expect((await read(path, 'collector:read')).status, path).toBe(200)
      expect((await read(path, 'other')).status, path).toBe(403)
    }
    expect((await read(`/runs/${run.run_id}`, 'collector:manage')).data).toEqual(run)
  },
)
