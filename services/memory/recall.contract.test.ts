import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rerankServer } from '../../tests/support/rerank.ts'
import { type Stage, stage } from '../../tests/support/stage.ts'
import memory from './service.ts'

const facts = '/api/v1/internal/memory/facts'
const path = '/api/v1/internal/memory/recall'

let at: Stage
let reranker: Awaited<ReturnType<typeof rerankServer>>
beforeAll(async () => {
  reranker = await rerankServer()
  at = await stage(memory, { env: { RERANK_URL: reranker.url, RERANK_TIMEOUT_MS: '500' } })
  const inputs: [string, string, object?][] = [
    ['loan.iou', '借条约定年利率百分之十五，还款期限为2024年6月30日', { category: 'evidence' }],
    ['loan.transfer', '银行转账凭证显示出借人向借款人转账100,000元', { category: 'evidence' }],
    ['wage.arrears', '公司拖欠三个月工资，未签订劳动合同'],
    ['court.number', '本案案号为(2021)京01民终1234号'],
    ['law.article', '民法典第六百七十五条规定了还款期限'],
    [
      'contact.preference',
      'The client prefers emails over phone calls',
      { scope: 'global', case_id: undefined, category: 'preference' },
    ],
    [
      'contact.language',
      'Speaks English and Chinese',
      { scope: 'global', case_id: undefined, category: 'user_profile' },
    ],
  ]
  for (const [entity_key, content, more] of inputs) {
    const body = {
      user_id: 'u',
      scope: 'case',
      case_id: 'C-1',
      entity_key,
      category: 'case_detail',
      content,
      ...more,
    }
    expect((await at.call('POST', facts, { body })).status).toBe(201)
  }
  const ownFact = {
    user_id: 'v',
    scope: 'global',
    entity_key: 'k',
    category: 'preference',
    content: '拖欠工资 emails',
  }
  await at.call('POST', facts, { body: ownFact })
  await at.call('POST', facts, {
    body: { ...ownFact, user_id: 'u' },
    headers: { 'x-organization-id': 'other' },
  })
})
afterAll(async () => {
  await at.close()
  await reranker.close()
})

const recall = (body: object, headers = {}) =>
  at.call('POST', path, { body: { user_id: 'u', ...body }, headers })
const keys = ({ data }: { data: any }): string[] => data.facts.map((fact: any) => fact.entity_key)

describe('recall by query', () => {
  const cases: [string, string, string][] = [
    ['Chinese words', '拖欠工资怎么办', 'wage.arrears'],
    ['English words, whatever their number and case', 'EMAIL', 'contact.preference'],
    ['mixed text', '客户 speaks 什么 Chinese', 'contact.language'],
    ['a number, with or without separators', '100000', 'loan.transfer'],
    ['a case number', '（2021）京01民终1234号', 'court.number'],
    ['an article by either kind of number', '第675条', 'law.article'],
    ['the entity key', 'loan.iou', 'loan.iou'],
  ]
  test.each(cases)('finds %s', async (_, query, expected) => {
    const response = await recall({ query })
    expect(keys(response)[0]).toBe(expected)
    expect(response.data).toMatchObject({ reranked: false, degraded: false })
  })

  test('scores are descending and min_score filters them', async () => {
    const { data } = await recall({ query: '转账 还款期限 借条' })
    const scores = data.facts.map((fact: any) => fact.score)
    expect(scores.length).toBeGreaterThan(1)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    const cut = await recall({ query: '转账 还款期限 借条', min_score: scores[0] })
    expect(cut.data.facts).toHaveLength(1)
    expect((await recall({ query: '转账 还款期限 借条', top_k: 1 })).data.facts).toEqual(
      cut.data.facts,
    )
  })

  test('a query without matching terms returns nothing', async () => {
    expect((await recall({ query: 'zebra 斑马' })).data.facts).toEqual([])
    expect((await recall({ query: '…!?' })).data.facts).toEqual([])
  })

  test('recall excludes other users, other organizations and deleted facts', async () => {
    const { data } = await recall({ query: '拖欠工资 emails', top_k: 100 })
    for (const fact of data.facts) expect([fact.user_id, fact.tenant_id]).toEqual(['u', 'acme'])
    const other = await recall({ query: '工资' }, { 'x-organization-id': 'other' })
    expect(keys(other)).toEqual(['k'])
    const body = {
      user_id: 'w',
      scope: 'global',
      entity_key: 'gone',
      category: 'summary',
      content: 'short-lived',
    }
    const { data: gone } = await at.call('POST', facts, { body })
    await at.call('DELETE', `${facts}/${gone.id}`)
    expect((await recall({ user_id: 'w', query: 'short-lived' })).data.facts).toEqual([])
  })

  test('an updated fact is found by its new content only', async () => {
    const body = {
      user_id: 'x',
      scope: 'global',
      entity_key: 'e',
      category: 'summary',
      content: 'before',
    }
    const { data } = await at.call('POST', facts, { body })
    await at.call('PUT', `${facts}/${data.id}`, { body: { content: 'after' } })
    expect((await recall({ user_id: 'x', query: 'before' })).data.facts).toEqual([])
    expect(keys(await recall({ user_id: 'x', query: 'after' }))).toEqual(['e'])
  })
})

describe('recall by filter', () => {
  test('recall without a query returns the newest facts first', async () => {
    const response = await recall({ top_k: 3 })
    expect(keys(response)).toEqual(['contact.language', 'contact.preference', 'law.article'])
  })

  test('scope, case, category and key filter the facts', async () => {
    expect(keys(await recall({ scope: 'global' }))).toEqual([
      'contact.language',
      'contact.preference',
    ])
    expect(keys(await recall({ case_id: 'C-2' }))).toEqual([])
    expect(keys(await recall({ case_id: 'C-1', categories: ['evidence'] }))).toHaveLength(2)
    expect(keys(await recall({ entity_keys: ['loan.iou', 'none'] }))).toEqual(['loan.iou'])
    expect(keys(await recall({ query: '还款', categories: ['case_detail'] }))).toEqual([
      'law.article',
    ])
    expect(keys(await recall({ query: 'chinese emails', scope: 'case' }))).toEqual([])
  })

  test('invalid parameters are 400', async () => {
    for (const body of [
      { top_k: 0 },
      { top_k: 101 },
      { user_id: null },
      { scope: 'x' },
      { categories: 'evidence' },
    ]) {
      expect((await recall(body)).status).toBe(400)
    }
    expect((await recall({}, { 'x-organization-id': undefined })).status).toBe(400)
  })
})

describe('rerank', () => {
  const question = { query: '还款期限', rerank: true }

  test('reranked facts have the order and scores of the rerank service', async () => {
    reranker.behave('reverse')
    const plain = keys(await recall({ query: '还款期限' }))
    const response = await recall(question)
    expect(keys(response)).toEqual([...plain].reverse())
    expect(response.data).toMatchObject({ reranked: true, degraded: false })
    expect(reranker.lastRequest()).toMatchObject({ query: '还款期限', top_n: 10 })
  })

  test('a failing rerank service returns the same facts with degraded true', async () => {
    const plain = await recall({ query: '还款期限' })
    for (const fault of ['error', 'garbage', 'hang', 'duplicate', 'outside'] as const) {
      reranker.behave(fault)
      const response = await recall(question)
      expect(response.data).toEqual({ facts: plain.data.facts, reranked: false, degraded: true })
    }
  })
})
