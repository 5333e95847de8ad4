import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EngineStage, stageEngine } from '../../tests/support/engine.ts'

let at: EngineStage
beforeAll(async () => {
  at = await stageEngine()
})
afterAll(() => at.close())

describe('calculators', () => {
  test('the list has every calculator with a JSON Schema of its inputs', async () => {
    const { calculators } = (await at.get('/calculators')).data
    expect(calculators).toHaveLength(16)
    expect(calculators[0]).toMatchObject({
      id: 'loan_interest',
      title: { zh: '民间借贷利息', en: 'Interest under a private loan' },
      inputs: { type: 'object', required: ['principal', 'made_on', 'from', 'to'] },
      tables: [{ name: 'LPR 1Y', through: '2026-08-20' }],
    })
    expect((await at.get('/calculators/deadline')).data.id).toBe('deadline')
  })

  test('a calculation shows its result, steps with articles, alternatives and tables', async () => {
    const inputs = { price: 300_000, from: '2024-01-15', to: '2024-12-31' }
    const { status, data } = await at.post('/calculators/late_payment', inputs)
    expect(status).toBe(200)
    expect(data).toMatchObject({
      calculator: 'late_payment',
      as_of: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      result: { days: 351, low: 12_938.92, high: 14_929.52 },
      steps: [{ articles: [{ article: '第十八条' }], inputs: { lpr: 3.45 } }, {}],
      alternatives: [],
    })
  })

  test('an unknown calculator returns 404 and invalid inputs return 400 with every issue', async () => {
    expect((await at.post('/calculators/horoscope', {})).status).toBe(404)
    const { status, data } = await at.post('/calculators/loan_interest', {
      ...{ principal: -1, made_on: '2024-02-30', from: '2024-03-01', to: '2024-01-01' },
      payments: [{ on: '2025-01-01', amount: 'much' }],
    })
    expect(status).toBe(400)
    const paths = data.issues.map(({ path }: { path: string }) => path)
    expect(paths).toEqual(expect.arrayContaining(['principal', 'made_on', 'payments.0.amount']))
    const order = await at.post('/calculators/late_payment', {
      ...{ price: 1, from: '2024-03-01', to: '2024-01-01' },
    })
    expect(order.data.issues).toMatchObject([{ path: 'to' }])
    expect((await at.post('/calculators/court_fee', { kind: 'property' })).status).toBe(400)
    const unknown = await at.post('/calculators/deadline', {
      ...{ kind: 'enforcement', from: '2024-01-01', hollidays: ['2024-02-12'] },
    })
    expect(unknown.status).toBe(400)
    expect(unknown.data.issues).toMatchObject([{ path: 'hollidays' }])
  })

  test('a date beyond the rate table returns 422 with the last day of the table', async () => {
    const { status, code, data } = await at.post('/calculators/late_payment', {
      ...{ price: 1, from: '2026-09-01', to: '2026-10-01' },
    })
    expect(status).toBe(422)
    expect({ code, data }).toMatchObject({
      code: 'RATE_TABLE_ENDS',
      data: { through: '2026-08-20' },
    })
  })
})
