import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { key, type Stage, stage } from '../../tests/support/stage.ts'
import platform from './service.ts'

const path = '/api/v1/internal/platform/configs'

let at: Stage
beforeAll(async () => {
  at = await stage(platform)
})
afterAll(() => at.close())

type Config = { key: string; value: unknown; description?: string }

const write = (configs: unknown, dry_run?: unknown) =>
  at.call('POST', `${path}/batch`, { body: { configs, dry_run } })
const read = async (key: string) => (await at.call('GET', `${path}/${key}`)).data

describe('a batch of configs', () => {
  test('a batch creates new records, updates different ones and keeps the rest', async () => {
    await write([
      { key: 'same', value: { a: 1, b: [null] }, description: 'kept' },
      { key: 'changed', value: 1, description: 'kept' },
      { key: 'described', value: 1, description: 'old' },
      { key: 'null', value: null },
    ])
    const { status, data } = await write([
      { key: 'same', value: { b: [null], a: 1 } },
      { key: 'changed', value: null },
      { key: 'described', value: 1, description: 'new' },
      { key: 'null', value: null, description: '' },
      { key: 'new', value: 0 },
    ])
    expect([status, data]).toEqual([200, { created: 1, updated: 2, unchanged: 2 }])
    expect(await read('same')).toMatchObject({ description: 'kept', version: 1 })
    expect(await read('changed')).toMatchObject({ value: null, description: 'kept', version: 2 })
    expect(await read('described')).toMatchObject({ description: 'new', version: 2 })
    expect(await read('new')).toMatchObject({ value: 0, description: '', version: 1 })
  })

  test('an empty batch is accepted', async () => {
    expect((await write([])).data).toEqual({ created: 0, updated: 0, unchanged: 0 })
  })

  test('a dry run returns counts and writes nothing', async () => {
    await write([{ key: 'dry.old', value: 1 }])
    const configs = [
      { key: 'dry.old', value: 2 },
      { key: 'dry.new', value: 1 },
    ]
    expect((await write(configs, true)).data).toEqual({ created: 1, updated: 1, unchanged: 0 })
    expect(await read('dry.old')).toMatchObject({ value: 1, version: 1 })
    expect((await at.call('GET', `${path}/dry.new`)).status).toBe(404)
  })

  test.each([
    ['configs', undefined],
    ['configs', { key: 'k', value: 1 }],
    ['configs', Array.from({ length: 1_001 }, (_, n) => ({ key: `k${n}`, value: n }))],
    ['configs.1.key', [{ key: 'wrong.ok', value: 1 }, { value: 1 }]],
    [
      'configs.1.key',
      [
        { key: 'wrong.ok', value: 1 },
        { key: '; drop', value: 1 },
      ],
    ],
    ['configs.1.value', [{ key: 'wrong.ok', value: 1 }, { key: 'wrong.no' }]],
    ['configs.2.key', ['twice', 'wrong.ok', 'twice'].map((key) => ({ key, value: 1 }))],
  ])('with a wrong %s is refused as a whole', async (where, configs) => {
    const { status, code, data } = await write(configs)
    expect([status, code, data.issues[0].path]).toEqual([400, 'VALIDATION_FAILED', where])
    expect((await at.call('GET', `${path}/wrong.ok`)).status).toBe(404)
  })

  test('a batch that fails halfway writes nothing', async () => {
    await write([{ key: 'z.fixed', value: 1 }])
    await at.sql`
      alter table platform.configs add constraint fixed check (key <> 'z.fixed' or value = '1')`
    const configs = [
      { key: 'a.new', value: 1 },
      { key: 'z.fixed', value: 2 },
    ]
    const { status } = await at.fetch(
      new Request(`http://test${path}/batch`, {
        method: 'POST',
        headers: { 'x-internal-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ configs }),
      }),
    )
    await at.sql`alter table platform.configs drop constraint fixed`
    expect(status).toBe(500)
    expect((await at.call('GET', `${path}/a.new`)).status).toBe(404)
  })

  test('concurrent batches in any order do not deadlock', async () => {
    const keys = Array.from({ length: 30 }, (_, n) => `many.${n}`)
    const batches = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        write((n % 2 ? keys : keys.toReversed()).map((key) => ({ key, value: n }))),
      ),
    )
    expect(batches.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(batches.reduce((sum, { data }) => sum + data.created, 0)).toBe(30)
    const values = await Promise.all(keys.map(async (key) => (await read(key)).value))
    expect(new Set(values).size).toBe(1)
  })
})

test('batches behave like a map and dry runs change nothing', async () => {
  const anyKey = fc.constantFrom('p.a', 'p.b', 'p.c', 'p.d')
  const config = fc.record<Config>(
    {
      key: anyKey,
      value: fc.oneof(
        fc.constantFrom<unknown>(null, 0, 1, '', [], {}),
        fc.jsonValue({ maxDepth: 2 }),
      ),
      description: fc.constantFrom('', 'x', 'y'),
    },
    { requiredKeys: ['key', 'value'] },
  )
  const batch = fc.record({
    configs: fc.uniqueArray(config, { selector: (each) => each.key }),
    dry_run: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 4 }), async (batches) => {
      await at.sql`delete from platform.configs where starts_with(key, 'p.')`
      const model = new Map<string, Required<Config> & { version: number }>()
      for (const { configs, dry_run } of batches) {
        const counts = { created: 0, updated: 0, unchanged: 0 }
        for (const { key, value: sent, description } of configs) {
          const value = JSON.parse(JSON.stringify(sent))
          const before = model.get(key)
          const after = { key, value, description: description ?? before?.description ?? '' }
          const same =
            before && before.description === after.description && isSame(before.value, value)
          counts[same ? 'unchanged' : before ? 'updated' : 'created']++
          if (!dry_run && !same) model.set(key, { ...after, version: (before?.version ?? 0) + 1 })
        }
        expect((await write(configs, dry_run)).data).toEqual(counts)
      }
      const rows = await at.sql`
        select key, value, description, version from platform.configs where starts_with(key, 'p.')`
      expect(new Map(rows.map((row) => [row.key, row]))).toEqual(model)
    }),
    { numRuns: 25 },
  )
})

const isSame = (a: unknown, b: unknown) => {
  try {
    expect(a).toEqual(b)
    return true
  } catch {
    return false
  }
}
