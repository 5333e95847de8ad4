import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type MatterStage, makePeer, stageMatter } from '../../tests/support/matter.ts'

let value: unknown
const platform = makePeer(() => (value === undefined ? undefined : { key: 'k', value }))

let at: MatterStage
beforeAll(async () => {
  at = await stageMatter({ peers: { 'platform-service': platform.peer } })
})
afterAll(() => at.close())
beforeEach(async () => {
  await at.sql`delete from matter.service_types`
  platform.requests.length = 0
  platform.state.down = false
})

const read = () => at.read('/api/v1/service-types')
const aMinuteLater = () =>
  at.sql`update matter.service_types set read_at = now() - interval '61 seconds'`
const types = (name: string) => ({
  service_types: [{ id: 'contract_review', name }],
  resolved_service_types: { contract_review: { name } },
})
const empty = { service_types: [], resolved_service_types: [] }

test('service types come from platform-service and are cached for a minute', async () => {
  value = types('A')
  expect(await read()).toEqual(types('A'))
  value = types('B')
  for (let n = 0; n < 3; n++) expect(await read()).toEqual(types('A'))
  expect(platform.requests.map(({ path }) => path)).toEqual([
    '/api/v1/internal/platform/configs/matters.service_types',
  ])
  await aMinuteLater()
  expect(await read()).toEqual(types('B'))
  expect(platform.requests).toHaveLength(2)
})

test('cached service types are served while platform-service is down', async () => {
  value = types('A')
  await read()
  await aMinuteLater()
  platform.state.down = true
  expect(await read()).toEqual(types('A'))
})

test('service types are empty if none are configured or cached', async () => {
  value = undefined
  expect(await read()).toEqual(empty)
  expect(await read()).toEqual(empty)
  expect(platform.requests).toHaveLength(1)
  await at.sql`delete from matter.service_types`
  platform.state.down = true
  expect(await read()).toEqual(empty)
})

test('a config of another shape returns empty service types', async () => {
  for (const odd of [null, 'text', [1], { service_types: 'x' }]) {
    await at.sql`delete from matter.service_types`
    platform.state.down = false
    value = odd
    const response = await read()
    expect(response).toEqual({
      ...empty,
      ...(response.service_types === 'x' && { service_types: 'x' }),
    })
  }
})
