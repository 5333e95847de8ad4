import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  atomic,
  type KnowledgeStage,
  seed,
  stageKnowledge,
} from '../../../tests/support/knowledge.ts'

let at: KnowledgeStage
beforeAll(async () => {
  at = await stageKnowledge()
})
afterAll(() => at.close())

const edition = (document_id: string, law: object, content: string) => ({
  document_id,
  doc_type: 'statute',
  title: '中华人民共和国样诉法',
  metadata: { law: { title: '中华人民共和国样诉法', ...law } },
  content,
})

const interest = '第五条 借款的利率不得超过年利率百分之二十四，超过部分不予支持。'
const service = '第一编 总则\n第一章 管辖\n第五条 因合同纠纷提起的诉讼，由被告住所地人民法院管辖。'

const importLaws = async (name: string, documents: object[]) => {
  const body = { kb: { name }, documents, source: { package_id: name, version: '1' } }
  const imported = await at.post(`${seed}/system-kb-documents/import`, body)
  expect(imported.status, imported.text).toBe(200)
}

beforeAll(async () => {
  await importLaws('sys_editions', [
    edition(
      'suit-2000',
      { effective_from: '2000-01-01', effective_to: '2019-12-31', status: 'amended' },
      `第三条 受理后应当在六个月内审结，有特殊情况的可以延长。\n${service.replace('第五条', '第四条')}`,
    ),
    edition(
      'suit-2020',
      { effective_from: '2020-01-01', effective_to: null, status: 'in_force' },
      `${service}\n第九条 受理后应当在六个月内审结，有特殊情况的，可以延长。`,
    ),
    edition(
      'suit-2090',
      { effective_from: '2090-01-01', effective_to: null, status: 'not_yet_in_force' },
      `${service}\n第五十条 将来的内容。`,
    ),
    {
      ...edition('loans-1999', {}, interest),
      title: '样例借贷法',
      metadata: {
        law: { title: '样例借贷法', effective_from: '1999-10-01', status: 'repealed' },
        publication_date: '1999-03-15',
      },
    },
    {
      ...edition('code-2021', {}, ''),
      title: '中华人民共和国样例民典',
      metadata: { law: { title: '中华人民共和国样例民典', effective_from: '2021-01-01' } },
      content: [
        '第一条 借款的利率不得超过年利率百分之二十四；超过部分不予支持。',
        '第二条 本法自2021年1月1日起施行。《样例借贷法》同时废止。',
      ].join('\n'),
    },
  ])
})

const verify = async (citations: object[], as_of?: string) => {
  const response = await at.post('/api/v1/internal/citations/verify', { citations, as_of })
  expect(response.status, response.text).toBe(200)
  return response.data.citations
}
const law = async (body: object) => {
  const response = await at.post(`${atomic}/law`, body)
  expect(response.status, response.text).toBe(200)
  return response.data
}

describe('editions of a law', () => {
  test('atomic/law lists the editions newest first with their status on the day', async () => {
    const { editions } = await law({ title: '样诉法', as_of: '2010-05-05' })
    expect(editions).toEqual([
      {
        document_id: 'suit-2090',
        effective_from: '2090-01-01',
        effective_to: null,
        status: 'not_yet_in_force',
      },
      {
        document_id: 'suit-2020',
        effective_from: '2020-01-01',
        effective_to: '2089-12-31',
        status: 'not_yet_in_force',
      },
      {
        document_id: 'suit-2000',
        effective_from: '2000-01-01',
        effective_to: '2019-12-31',
        status: 'in_force',
      },
    ])
    const today = await law({ title: '《中华人民共和国样诉法》' })
    expect(today.editions.map((each: any) => each.status)).toEqual([
      'not_yet_in_force',
      'in_force',
      'amended',
    ])
  })

  test('atomic/law gives the article of the edition in force on the day with its path', async () => {
    const { article } = await law({ title: '样诉法', article: 5, as_of: '2020-01-01' })
    expect(article).toEqual({
      section_id: '第一编/第一章/第五条',
      content: '第五条 因合同纠纷提起的诉讼，由被告住所地人民法院管辖。',
      path: ['第一编 总则', '第一章 管辖'],
    })
    for (const body of [
      { title: '样诉法', article: '第五条', as_of: '2019-12-31' },
      { title: '样诉法', article: '第三条', as_of: '1999-12-31' },
      { title: '样诉法' },
      { title: '没有的法', article: '第一条' },
    ]) {
      expect((await law(body)).article, JSON.stringify(body)).toBeNull()
    }
    expect((await law({ title: '没有的法' })).editions).toEqual([])
  })

  test('the last day in force belongs to the old edition, the next day to the new one', async () => {
    const on = async (as_of: string) =>
      (await verify([{ law: '样诉法', article: '第三条' }], as_of))[0].found
    expect([await on('2019-12-31'), await on('2020-01-01')]).toEqual([true, false])
  })

  test('a citation of a former edition is reported with the article of today', async () => {
    const [old] = await verify([{ law: '样诉法', article: '第三条' }])
    expect(old).toMatchObject({
      ...{ found: false, in_force: false, content: null, document_id: null },
      edition: {
        document_id: 'suit-2000',
        effective_from: '2000-01-01',
        effective_to: '2019-12-31',
      },
      status: 'amended',
      now: { law: '中华人民共和国样诉法', article: '第九条' },
    })
    const [valid] = await verify([{ law: '样诉法', article: '第九条' }])
    expect(valid).toMatchObject({
      ...{ found: true, in_force: true, status: 'in_force', document_id: 'suit-2020' },
      edition: {
        document_id: 'suit-2020',
        effective_from: '2020-01-01',
        effective_to: '2089-12-31',
      },
    })
    expect('now' in valid).toBe(false)
  })

  test('an edition named by its year is not replaced by the one in force', async () => {
    const [old] = await verify([{ law: '样诉法（2000年修正）', article: '第四条' }])
    expect(old).toMatchObject({
      ...{ found: false, status: 'amended' },
      now: { law: '中华人民共和国样诉法', article: '第五条' },
    })
  })

  test('a citation of a later edition is not found and has its status', async () => {
    const [later] = await verify([{ law: '样诉法', article: '第五十条' }])
    expect(later).toMatchObject({
      ...{ found: false, in_force: false, status: 'not_yet_in_force' },
      edition: { document_id: 'suit-2090' },
    })
    const [code] = await verify([{ law: '样例民典', article: '第一条' }], '2015-01-01')
    expect(code).toMatchObject({
      ...{ found: false, in_force: false, status: 'not_yet_in_force' },
      now: { law: '中华人民共和国样例民典', article: '第一条' },
    })
  })

  test('a citation of a repealed law names the article of the law that repealed it', async () => {
    const [repealed] = await verify([{ law: '样例借贷法', article: '第五条' }])
    expect(repealed).toMatchObject({
      ...{ found: false, in_force: false, status: 'repealed' },
      now: { law: '中华人民共和国样例民典', article: '第一条' },
    })
  })

  test('an unknown law and an article of no edition have no correspondence', async () => {
    const [unknown, missing] = await verify([
      { law: '没有的法', article: '第一条' },
      { law: '样诉法', article: '第九百条' },
    ])
    expect(unknown).toMatchObject({ found: false, in_force: false, edition: null, status: null })
    expect(missing).toMatchObject({
      ...{ found: false, in_force: false, status: 'in_force' },
      edition: { document_id: 'suit-2020' },
    })
  })

  test('a quote is compared with the text word by word', async () => {
    const quotes = [
      '由被告住所地人民法院管辖',
      '因合同纠纷……由被告住所地 人民法院管辖。',
      '由原告住所地人民法院管辖',
      '由被告住所地……因合同纠纷',
    ]
    const cited = quotes.map((quote) => ({ law: '样诉法', article: '第五条', quote }))
    const verified = await verify([
      ...cited,
      { law: '样诉法', article: '第五条' },
      { law: '样诉法', article: '第九百条', quote: '由' },
    ])
    expect(verified.map((each: any) => each.quote_matches)).toEqual([
      ...[true, true, false, false, null, null],
    ])
  })

  test('a search returns the edition in force on the day and says which one it is', async () => {
    for (const [as_of, id] of [
      ['2012-01-01', 'suit-2000'],
      ['2022-01-01', 'suit-2020'],
      ['2095-01-01', 'suit-2090'],
    ]) {
      for (const mode of ['keyword', 'vector', 'hybrid']) {
        const { data } = await at.search(['sys_editions'], '合同纠纷管辖', { as_of }, mode)
        const found = data.hits.filter((hit: any) => hit.document_id.startsWith('suit'))
        expect([...new Set(found.map((hit: any) => hit.document_id))], `${mode} ${as_of}`).toEqual([
          id,
        ])
        expect(found[0].metadata.law).toMatchObject({
          title: '中华人民共和国样诉法',
          status: 'in_force',
        })
      }
    }
  })

  test('removing a later edition reopens the one before it', async () => {
    const editions = (ids: [string, string][]) =>
      importLaws(
        'sys_reopened',
        ids.map(([id, effective_from]) => ({
          ...edition(id, {}, `第一条 重开的内容。`),
          title: '重开法',
          metadata: { law: { title: '重开法', effective_from } },
        })),
      )
    const inForce = async () =>
      (await law({ title: '重开法', as_of: '2024-01-01' })).editions
        .filter((each: any) => each.status === 'in_force')
        .map((each: any) => each.document_id)
    await editions([
      ['one', '2001-01-01'],
      ['two', '2011-01-01'],
    ])
    expect(await inForce()).toEqual(['two'])
    expect(await at.searchIds(['sys_reopened'], '重开', { as_of: '2024-01-01' })).toEqual(['two'])
    await editions([['one', '2001-01-01']])
    expect(await inForce()).toEqual(['one'])
    expect(await at.searchIds(['sys_reopened'], '重开', { as_of: '2024-01-01' })).toEqual(['one'])
  })

  test('a repealed law whose end is unknown is in force on no day', async () => {
    await importLaws('sys_unknown_end', [
      {
        ...edition('lost', {}, '第一条 失期的内容。'),
        title: '失期法',
        metadata: { law: { title: '失期法', effective_from: '1990-01-01', status: 'repealed' } },
      },
    ])
    expect(await at.searchIds(['sys_unknown_end'], '失期')).toEqual([])
    expect((await law({ title: '失期法' })).editions).toEqual([
      {
        document_id: 'lost',
        effective_from: '1990-01-01',
        effective_to: null,
        status: 'repealed',
      },
    ])
  })

  test('a document shows the edition that it is', async () => {
    const body = { kb_id: 'sys_editions', document_id: 'suit-2000' }
    const { data } = await at.post(`${atomic}/document`, body)
    expect(data.metadata.law).toEqual({
      title: '中华人民共和国样诉法',
      effective_from: '2000-01-01',
      effective_to: '2019-12-31',
      status: 'amended',
    })
  })
})
