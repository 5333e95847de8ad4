import { expect, test } from 'vitest'
import memory from '../services/memory/service.ts'
import platform from '../services/platform/service.ts'
import { stageMatter } from './support/matter.ts'
import { stage } from './support/stage.ts'

test('the facts of a matter are sent to memory-service', async () => {
  const memoryStage = await stage(memory)
  const at = await stageMatter({ peers: { 'memory-service': memoryStage.fetch } })
  const { id } = await at.createMatter({ user_id: 7 })
  const readFacts = async () => {
    while ((await at.tick()) > 0);
    const query = `/api/v1/internal/memory/users/7/facts?case_id=${id}`
    const { data } = await memoryStage.call('GET', query)
    return Object.fromEntries(data.items.map((fact: any) => [fact.entity_key, fact.content]))
  }
  await at.sync(id, {
    facts: [
      { entity_key: 'loan.amount', content: 'The loan is 100,000.', value: { amount: 100_000 } },
      { entity_key: 'loan.date', content: '2024-05-01', category: 'evidence', confidence: 0.5 },
    ],
  })
  expect(await readFacts()).toEqual({
    'loan.amount': 'The loan is 100,000.',
    'loan.date': '2024-05-01',
  })
  await at.sync(id, {
    facts: [
      { entity_key: 'loan.amount', content: 'The loan is 120,000.' },
      { entity_key: 'loan.date', content: null },
    ],
  })
  expect(await readFacts()).toEqual({ 'loan.amount': 'The loan is 120,000.' })
  await at.close()
  await memoryStage.close()
})

test('service types are read from platform-service', async () => {
  const platformStage = await stage(platform)
  const at = await stageMatter({ peers: { 'platform-service': platformStage.fetch } })
  const value = { service_types: [{ id: 'review', name: 'Review' }], resolved_service_types: {} }
  await platformStage.call('POST', '/api/v1/internal/platform/configs/batch', {
    body: { configs: [{ key: 'matters.service_types', value }] },
  })
  expect(await at.read('/api/v1/service-types')).toEqual(value)
  await at.close()
  await platformStage.close()
})
