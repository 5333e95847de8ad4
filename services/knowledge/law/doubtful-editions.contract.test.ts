import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  atomic,
  type KnowledgeStage,
  seed,
  stageKnowledge,
} from '../../../tests/support/knowledge.ts'

let at: KnowledgeStage
const law = (document_id: string, title: string, edition: object, content: string) => ({
  ...{ document_id, doc_type: 'statute', title, content },
  metadata: { law: { title, ...edition } },
})
const registers = '第二条 登记机构应当将登记事项记载于登记簿，并妥善保存。'

beforeAll(async () => {
  at = await stageKnowledge()
  const documents = [
    law('rewards', '样例见义勇为条例', { effective_from: '2001-01-01' }, '第三条 应当奖励。'),
    law('drugs', '样例药品和精神药品条例', { effective_from: '2001-01-01' }, '第五条 应当管理。'),
    law('drugs-2', '精神药品条例', { effective_from: '2001-01-01' }, '第五条 另一条例。'),
    law('draft', '样例草案法', { status: 'not_yet_in_force' }, '第一条 草案的内容。'),
    law(
      'register-old',
      '样例登记条例',
      { effective_from: '2001-01-01', status: 'amended' },
      registers.replace('第二条', '第七条'),
    ),
    law('register-a', '样例登记条例', { effective_from: '2011-01-01' }, registers),
    law('register-b', '样例登记条例', { effective_from: '2011-01-01' }, registers),
  ]
  const body = { kb: { name: 'sys_doubtful' }, documents }
  const imported = await at.post(`${seed}/system-kb-documents/import`, body)
  expect(imported.status, imported.text).toBe(200)
})
afterAll(() => at.close())

const verify = async (body: object) => {
  const response = await at.post('/api/v1/internal/citations/verify', body)
  expect(response.status, response.text).toBe(200)
  return response.data.citations
}

test('a name without quotation marks is read as the longest name of a law', async () => {
  const text = '原告见样例见义勇为条例第三条，违反样例药品和精神药品条例第五条。'
  const citations = await verify({ text })
  expect(citations.map((each: any) => [each.law, each.document_id])).toEqual([
    ['样例见义勇为条例', 'rewards'],
    ['样例药品和精神药品条例', 'drugs'],
  ])
  expect(citations.map(({ start, end }: any) => text.slice(start, end))).toEqual([
    '样例见义勇为条例第三条',
    '样例药品和精神药品条例第五条',
  ])
  expect(citations[0]).not.toHaveProperty('readings')
})

test('a foreign law is not found under the name of a domestic one', async () => {
  const [foreign] = await verify({ text: '外国精神药品条例第五条' })
  expect(foreign).toMatchObject({ law: '外国精神药品条例', found: false })
})

test('a law not yet in force without a day is in force on no day', async () => {
  const [draft] = await verify({ citations: [{ law: '样例草案法', article: '第一条' }] })
  expect(draft).toMatchObject({ found: false, in_force: false, status: 'not_yet_in_force' })
  expect(await at.searchIds(['sys_doubtful'], '草案的内容')).not.toContain('draft')
  const { data } = await at.post(`${atomic}/document`, {
    ...{ kb_id: 'sys_doubtful', document_id: 'draft' },
  })
  expect(data.metadata.law).toMatchObject({ status: 'not_yet_in_force', effective_to: null })
})

test('an article of a law that is stored twice still has its article of today', async () => {
  const [old] = await verify({ citations: [{ law: '样例登记条例', article: '第七条' }] })
  expect(old).toMatchObject({
    ...{ found: false, status: 'amended' },
    now: { law: '样例登记条例', article: '第二条' },
  })
})

test.each(['2024-02-30', '2024-13-01', '0000-01-01', '10000-01-01', '2024/05/01', '', 'today'])(
  'as_of %s is refused with 400',
  async (as_of) => {
    const citations = [{ law: '样例登记条例', article: '第二条' }]
    for (const [path, body] of [
      ['/api/v1/internal/citations/verify', { citations, as_of }],
      [`${atomic}/law`, { title: '样例登记条例', as_of }],
      [`${atomic}/keyword-search`, { query: '登记', kb_ids: ['sys_doubtful'], as_of }],
    ] as const) {
      expect((await at.post(path, body)).status, path).toBe(400)
    }
  },
)

test('the first and the last day of the calendar are days', async () => {
  const on = async (as_of: string) =>
    (await verify({ citations: [{ law: '样例登记条例', article: '第二条' }], as_of }))[0].found
  expect([await on('0001-01-01'), await on('9999-12-31')]).toEqual([false, true])
})
