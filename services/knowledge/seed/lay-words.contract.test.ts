import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KnowledgeStage, seed, stageKnowledge } from '../../../tests/support/knowledge.ts'

let at: KnowledgeStage
beforeAll(async () => {
  at = await stageKnowledge()
})
afterAll(() => at.close())

const path = `${seed}/lay-words/import`
const boss = { word: '老板', words: { 用人单位: 20 }, laws: {} }
const pay = { word: '工钱', words: { 报酬: 20 }, laws: { 中华人民共和国劳动法: 0.5 } }
const counts = (created: number, updated: number, unchanged: number, deleted: number) => ({
  ...{ created, updated, unchanged, deleted },
})
const send = async (at: KnowledgeStage, lay_words: object[], more = {}) =>
  (await at.post(path, { lay_words, ...more })).data

describe('a search with lay words', () => {
  test('a query without a matching word finds nothing, even if the intercept has weights', async () => {
    const intercept = { word: '', words: { 用人单位: 20, 合同: 20 }, laws: { 劳动法: 0.5 } }
    const source = { package_id: 'intercept' }
    await send(at, [intercept, boss], { source })
    const kb = await at.createBase()
    await at.upsert(kb, [
      { document_id: '劳动法', chunks: ['用人单位签订合同。'] },
      { document_id: 'match', chunks: ['zebra'] },
    ])
    expect(await at.searchIds([kb], 'quagga')).toEqual([])
    expect(await at.searchIds([kb], '麒麟')).toEqual([])
    expect(await at.searchIds([kb], 'zebra quagga')).toEqual(['match'])
    expect(await at.searchIds([kb], '老板')).toEqual(['劳动法'])
    await send(at, [], { source })
  })

  test('lay words do not change the ranking in a base without the predicted law', async () => {
    const kb = await at.createBase()
    const chunks = ['lien on a ship', 'ship register', 'lien']
    await at.upsert(kb, [
      { document_id: 'a', chunks },
      { document_id: 'b', chunks: ['lien lien'] },
    ])
    const scores = async () => {
      const { data } = await at.search([kb], 'lien ship')
      return data.hits.map((hit: any) => [hit.document_id, hit.chunk_index, hit.score])
    }
    const without = await scores()
    const source = { package_id: 'elsewhere' }
    await send(at, [{ word: 'lien', words: {}, laws: { 海商法: 0.5 } }], { source })
    expect(await scores()).toEqual(without)
    await send(at, [], { source })
  })
})

describe('seed/lay-words/import', () => {
  test('a lay-word import returns its counts, and repeating it changes nothing', async () => {
    const source = { package_id: 'counted', version: '2026-01-01' }
    expect(await send(at, [boss, pay], { source, dry_run: true })).toEqual(counts(2, 0, 0, 0))
    expect(await send(at, [boss, pay], { source })).toEqual(counts(2, 0, 0, 0))
    expect(await send(at, [boss, pay], { source })).toEqual(counts(0, 0, 2, 0))
    const other = { ...boss, words: { 雇主: 1 } }
    expect(await send(at, [other], { source, dry_run: true })).toEqual(counts(0, 1, 0, 1))
    expect(await send(at, [other], { source })).toEqual(counts(0, 1, 0, 1))
    expect(await send(at, [])).toEqual(counts(0, 0, 0, 0))
    expect(await send(at, [], { source: { package_id: 'another' } })).toEqual(counts(0, 0, 0, 0))
    expect(await send(at, [], { source })).toEqual(counts(0, 0, 0, 1))
  })

  test('the digest of a dry run changes when the records to be replaced change', async () => {
    const source = { package_id: 'digested' }
    const dryRunDigest = async (lay_words: object[]) =>
      (await send(at, lay_words, { source, dry_run: true, digest: true })).digest
    expect(await dryRunDigest([boss])).toBe('')
    await send(at, [boss], { source })
    expect(await dryRunDigest([boss])).toBe('')
    const other = { ...boss, words: { 雇主: 1 } }
    const before = await dryRunDigest([other])
    await send(at, [{ ...boss, words: { 公司: 1 } }], { source })
    expect(await dryRunDigest([other])).not.toBe(before)
    await send(at, [], { source })
  })

  test('an import with a duplicate word or an invalid weight is rejected and changes nothing', async () => {
    const firstIssuePath = async (lay_words: object[]) => {
      const { status, data } = await at.post(path, { lay_words: [pay, ...lay_words] })
      expect(status).toBe(400)
      return data.issues?.[0]?.path
    }
    expect(await firstIssuePath([{ word: '老板', words: { 报酬: 'much' } }])).toBe(
      'lay_words.1.words.报酬',
    )
    await firstIssuePath([boss, boss])
    expect(await send(at, [boss, pay], { dry_run: true })).toEqual(counts(2, 0, 0, 0))
  })

  test('a lay-word import without the internal API key is rejected with 401', async () => {
    const { status } = await at.call('POST', path, {
      body: { lay_words: [boss] },
      headers: { 'x-internal-api-key': undefined },
    })
    expect(status).toBe(401)
  })
})

const statutes = [
  { document_id: 'labour', title: '劳动法', chunks: ['用人单位应当按月支付报酬。'] },
  { document_id: 'traffic', title: '交通法', chunks: ['老年人过街，车辆应当停下。'] },
  { document_id: 'money', title: '货币法', chunks: ['人民币由中央机构发行，不给钱钞编号。'] },
]

describe('lay words', () => {
  test('lay words find the statute terms they map to until they are deleted', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, statutes)
    const query = '老板欠工钱'
    const source = { package_id: 'p' }
    expect(await at.searchIds([kb], query)).not.toContain('labour')
    await send(at, [boss, pay], { source })
    expect((await at.searchIds([kb], query))[0]).toBe('labour')
    await send(at, [], { source })
    expect(await at.searchIds([kb], query)).not.toContain('labour')
  })

  test('lay words at the end of a long text are used', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, statutes)
    const query = `${'今日天晴，出门散步。'.repeat(80)}老板欠工钱`
    expect(await at.searchIds([kb], query)).not.toContain('labour')
    await send(at, [boss, pay], { source: { package_id: 'p' } })
    expect(await at.searchIds([kb], query)).toContain('labour')
    await send(at, [], { source: { package_id: 'p' } })
  })

  test('a lay word ranks its predicted law first', async () => {
    const kb = await at.createBase()
    const same = ['发生争议的，可以申请处理。']
    await at.upsert(kb, [
      { document_id: 'a', title: '交通法', chunks: same },
      { document_id: 'b', title: '劳动法', chunks: same },
    ])
    expect(await at.searchIds([kb], '工钱争议')).toEqual(['a', 'b'])
    await send(at, [{ ...pay, words: {} }], { source: { package_id: 'p' } })
    expect(await at.searchIds([kb], '工钱争议')).toEqual(['b', 'a'])
    expect(await at.searchIds([kb], '交通争议')).toEqual(['a', 'b'])
  })

  test('a lay word ranks its predicted law first under every spelling of the title', async () => {
    const kb = await at.createBase()
    const same = ['发生争议的，可以申请处理。']
    await at.upsert(kb, [
      { document_id: 'a', title: '最高人民法院关于适用《海商法》船舶编的解释（一）', chunks: same },
      { document_id: 'b', title: '最高人民法院关于适用《民法典》继承编的解释（一）', chunks: same },
    ])
    const law = '最高人民法院关于适用《中华人民共和国民法典》继承编的解释（一）'
    await send(at, [{ word: '遗产', laws: { [law]: 0.5 } }], { source: { package_id: 'p' } })
    expect(await at.searchIds([kb], '遗产争议')).toEqual(['b', 'a'])
  })

  test('a lay word ranks its predicted article first', async () => {
    const kb = await at.createBase()
    const article = (section_id: string) => ({ section_id, content: '发生争议的，申请处理。' })
    await at.upsert(kb, [
      { document_id: 'a', title: '劳动法', chunks: ['第一条', '第二条', '第三条'].map(article) },
    ])
    const articles = { 中华人民共和国劳动法: { 第三条: 1 } }
    await send(at, [{ word: '工钱', articles }], { source: { package_id: 'p' } })
    const { data } = await at.search([kb], '工钱争议')
    expect(data.hits[0].section_id).toBe('第三条')
  })

  test('a search with lay words does not return chunks of another organization', async () => {
    await send(at, [boss, pay], { source: { package_id: 'p' } })
    const kb = await at.createBase({ 'x-organization-id': 'other' })
    await at.upsert(kb, statutes)
    const { data } = await at.search([], '老板欠工钱', { top_k: 100 })
    expect(data.hits.map((hit: any) => hit.kb_id)).not.toContain(kb)
    expect((await at.search([kb], '老板欠工钱')).status).toBe(404)
  })

  test('with KNOWLEDGE_LAY_WORDS=false lay words are imported but not used in searches', async () => {
    const off = await stageKnowledge({ env: { KNOWLEDGE_LAY_WORDS: 'false' } })
    try {
      const kb = await off.createBase()
      await off.upsert(kb, statutes)
      expect(await send(off, [boss, pay])).toEqual(counts(2, 0, 0, 0))
      expect(await off.searchIds([kb], '老板欠工钱')).not.toContain('labour')
    } finally {
      await off.close()
    }
  })
})
