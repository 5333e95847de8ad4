import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KnowledgeStage, seed, stageKnowledge } from '../../../tests/support/knowledge.ts'

let at: KnowledgeStage
beforeAll(async () => {
  at = await stageKnowledge()
  const statute = { doc_type: 'statute' }
  await at.post(`${seed}/system-kb-documents/import`, {
    kb: { name: 'sys_laws' },
    documents: [
      {
        ...statute,
        document_id: 'sample-code',
        title: '中华人民共和国样例法典',
        metadata: { effective_from: '2021-01-01', aliases: ['Sample Code'] },
        content: [
          '第一编 总则',
          '第一章 一般规定',
          '第一条 样例第一条的内容。',
          '第十二条 第一款的内容。',
          '第二款的内容，有下列情形：',
          '（一）甲；',
          '（二）乙。',
          '第十二条之一 增加的内容。',
        ].join('\n'),
      },
      {
        ...statute,
        document_id: 'old-rules',
        title: '样例旧规定',
        metadata: { effective_from: '1999-01-01', effective_to: '2021-01-01' },
        content: '第三条 旧的内容。',
      },
    ],
  })
})
afterAll(() => at.close())

const verify = async (body: object, headers = {}) => {
  const response = await at.post('/api/v1/internal/citations/verify', body, headers)
  expect(response.status, response.text).toBe(200)
  return response.data.citations
}

describe('citations/verify', () => {
  test('a citation resolves to the statute rather than to a digest of it', async () => {
    const content = (words: string) => `第五条 ${words}`
    const documents = [
      {
        doc_type: 'digest',
        document_id: 'digest',
        title: '单行法要旨',
        metadata: { aliases: ['单行法'], effective_from: '2020-01-01' },
        content: content('要旨。'),
      },
    ]
    await at.post(`${seed}/system-kb-documents/import`, { kb: { name: 'sys_digests' }, documents })
    const [digested] = await verify({ text: '《单行法》第五条' })
    expect(digested).toMatchObject({ found: true, document_id: 'digest' })
    const statute = { doc_type: 'statute', document_id: 'whole', title: '单行法' }
    await at.post(`${seed}/system-kb-documents/import`, {
      kb: { name: 'sys_whole' },
      documents: [{ ...statute, content: content('全文。') }],
    })
    const [verified] = await verify({ text: '《单行法》第五条' })
    expect(verified).toMatchObject({ document_id: 'whole', content: '第五条 全文。' })
  })

  test('each citation in a text is returned with found, in_force and content', async () => {
    const text =
      '依据《样例法典》第一条、第十二条第二款，以及《样例旧规定》第三条和《样例法典》第九十九条。'
    const citations = await verify({ text })
    const brief = citations.map((each: any) => [
      each.article,
      each.found,
      each.in_force,
      each.content,
    ])
    expect(brief).toEqual([
      ['第一条', true, true, '第一条 样例第一条的内容。'],
      ['第十二条', true, true, '第二款的内容，有下列情形：\n（一）甲；\n（二）乙。'],
      ['第三条', false, false, null],
      ['第九十九条', false, false, null],
    ])
    expect(citations[0]).toMatchObject({
      law: '样例法典',
      document_id: 'sample-code',
      section_id: '第一编/第一章/第一条',
    })
    expect(text.slice(citations[1].start, citations[1].end)).toBe('第十二条第二款')
  })

  test('a law is found by its full name, short name and alias', async () => {
    const citations = [
      { law: '中华人民共和国样例法典', article: '第一条' },
      { law: '《样例法典》', article: 1 },
      { law: 'the Sample Code', article: 'Art. 1' },
      { law: '样例法典', article: '第12条之一' },
      { law: '样例法典', article: '第十二条第二款第二项' },
      { law: '样例法典', article: '第十二条第三款' },
      { law: '别的法', article: '第一条' },
    ]
    const verified = await verify({ citations })
    expect(verified.map((each: any) => each.found)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ])
    expect(verified[3].content).toBe('第十二条之一 增加的内容。')
    expect(verified[4].content).toBe('（二）乙。')
    expect(verified[0]).toMatchObject({ start: null, end: null, article: '第一条' })
  })

  test('English citations in a text are found', async () => {
    const verified = await verify({
      text: 'See Art. 1 of the Sample Code and Sample Code, Article 12.',
    })
    expect(verified.map((each: any) => [each.law, each.article, each.found])).toEqual([
      ['Sample Code', '1', true],
      ['Sample Code', '12', true],
    ])
  })

  test('in_force is evaluated on the as_of date', async () => {
    const citations = [
      { law: '样例旧规定', article: '第三条' },
      { law: '样例法典', article: '第一条' },
    ]
    const then = await verify({ citations, as_of: '2020-06-01' })
    expect(then.map((each: any) => each.in_force)).toEqual([true, false])
  })

  test('a text in a base of an organization is not found as law', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, [
      {
        document_id: 'house',
        title: '本所规定',
        chunks: [{ section_id: '第一条', content: '密。' }],
      },
    ])
    const citations = [{ law: '本所规定', article: '第一条' }]
    for (const headers of [{}, { 'x-organization-id': 'somebody-else' }]) {
      const [citation] = await verify({ citations }, headers)
      expect(citation).toMatchObject({ found: false, in_force: false, content: null })
    }
  })

  test('a request without text and citations is rejected with 400', async () => {
    expect((await at.post('/api/v1/internal/citations/verify', {})).status).toBe(400)
    expect(await verify({ text: '没有引用。' })).toEqual([])
  })
})
