import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MatterStage, stageMatter } from '../../tests/support/matter.ts'

let at: MatterStage
beforeAll(async () => {
  at = await stageMatter()
})
afterAll(() => at.close())

const path = '/api/v1/flow-blueprints'

test('blueprints are listed and returned by id', async () => {
  const page = await at.read(path)
  expect(page).toMatchObject({ page: 1, total: 3, total_pages: 1 })
  for (const blueprint of page.items) {
    expect(await at.read(`${path}/${blueprint.id}`)).toEqual(blueprint)
    const orders = blueprint.phases.map((phase: any) => phase.order_num)
    expect(orders).toEqual(orders.toSorted((a: number, b: number) => a - b))
    expect(blueprint.phases[0].phase_id).toBe('intake')
  }
  const ids = async (query: string) =>
    (await at.read(`${path}?${query}`)).items.map((each: any) => each.id)
  expect(await ids('matter_category=labor_arbitration')).toEqual(['labor_arbitration'])
  expect(await ids('matter_category=criminal_litigation')).toEqual([])
  expect(await ids('size=1&page=2')).toEqual([page.items[1].id])
})

test('writing methods on blueprints are 405', async () => {
  expect((await at.call('GET', `${path}/nothing`)).status).toBe(404)
  expect((await at.call('POST', path, { body: {} })).status).toBe(405)
  expect((await at.call('PUT', `${path}/contract_review`, { body: {} })).status).toBe(405)
})
