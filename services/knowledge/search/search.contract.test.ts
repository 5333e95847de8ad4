import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KnowledgeStage, seed, stageKnowledge } from '../../../tests/support/knowledge.ts'
import { searchBackends } from '../../../tests/support/qdrant.ts'

const { backends, stop } = await searchBackends()
afterAll(stop)

/** Filler documents without the rare words of the test queries. */
const filler = Array.from({ length: 30 }, (_, index) => ({
  document_id: `filler-${index}`,
  chunks: [`Provision ${1000 + index} concerns matters of general order. 一般规定之${index}`],
}))

describe.each(backends)('with $name', ({ backend, env }) => {
  let at: KnowledgeStage
  beforeAll(async () => {
    at = await stageKnowledge({ env, runsJobs: backend === 'qdrant' })
  })
  afterAll(() => at.close())

  describe('keyword-search', () => {
    test('keyword-search returns hits with all fields of the contract', async () => {
      const kb = await at.createBase()
      await at.upsert(kb, [
        {
          document_id: 'lending',
          title: 'Lending Rules',
          doc_type: 'norm',
          chunks: [{ section_id: 's1', content: 'The borrower repays.', metadata: { page: 3 } }],
        },
      ])
      const { data } = await at.search([kb], 'borrower')
      expect(data).toEqual({
        hits: [
          {
            kb_id: kb,
            document_id: 'lending',
            title: 'Lending Rules',
            doc_type: 'norm',
            chunk_index: 0,
            section_id: 's1',
            content: 'The borrower repays.',
            metadata: { page: 3 },
            score: expect.any(Number),
            matched_by: ['keyword'],
          },
        ],
        backend,
        degraded: false,
        reason: null,
      })
    })

    test('Chinese and English words are found, the better match first', async () => {
      const kb = await at.createBase()
      await at.upsert(kb, [
        ...filler,
        { document_id: 'wages', chunks: ['用人单位拖欠劳动报酬的，劳动者可以申请支付令。'] },
        { document_id: 'labour', chunks: ['劳动者享有休息的权利。'] },
        { document_id: 'deposit', chunks: ['The landlord returns the deposit to the tenant.'] },
        { document_id: 'tenant', chunks: ['A tenant keeps the garden.'] },
      ])
      expect(await at.searchIds([kb], '老板拖欠劳动报酬怎么办')).toEqual(
        expect.arrayContaining(['wages', 'labour']),
      )
      expect((await at.searchIds([kb], '拖欠劳动报酬'))[0]).toBe('wages')
      expect((await at.searchIds([kb], "tenant's deposits"))[0]).toBe('deposit')
      expect(await at.searchIds([kb], 'xyzzy')).toEqual([])
      expect(await at.searchIds([kb], '？！')).toEqual([])
    })

    test('article and case numbers match as a whole in every notation', async () => {
      const kb = await at.createBase()
      const article = (number: string) => ({
        document_id: number,
        title: 'Statute',
        chunks: [{ section_id: number, content: `${number} Content of it.` }],
      })
      await at.upsert(kb, [
        ...filler,
        article('第六百七十五条'),
        article('第六百七十六条'),
        article('第六百七十五条之一'),
        { document_id: 'case', chunks: ['北京市第一中级人民法院（2021）京01民终1234号民事判决书'] },
        {
          document_id: 'other',
          chunks: ['北京市第一中级人民法院（2021）京01民终1235号民事判决书'],
        },
      ])
      for (const query of ['第六百七十五条', '第675条', 'Art. 675', 'Article 675']) {
        expect((await at.searchIds([kb], query))[0], query).toBe('第六百七十五条')
      }
      expect((await at.searchIds([kb], '第675条之一'))[0]).toBe('第六百七十五条之一')
      expect((await at.searchIds([kb], '(2021)京01民终1234号'))[0]).toBe('case')
      expect((await at.searchIds([kb], '（2021）京01民终1235号'))[0]).toBe('other')
    })

    test('filters restrict the hits', async () => {
      const kb = await at.createBase()
      await at.upsert(kb, [
        {
          document_id: 'a',
          doc_type: 'statute',
          metadata: { court: 'x' },
          chunks: ['lien', 'lien two'],
        },
        {
          document_id: 'b',
          doc_type: 'case',
          chunks: [{ section_id: 's', content: 'lien', metadata: { court: 'x', year: 2020 } }],
        },
      ])
      const ids = (filters: object) => at.searchIds([kb], 'lien', { filters })
      expect((await ids({})).sort()).toEqual(['a', 'a', 'b'])
      expect(await ids({ doc_types: ['case'] })).toEqual(['b'])
      expect(await ids({ document_ids: ['a'] })).toEqual(['a', 'a'])
      expect(await ids({ section_ids: ['s'] })).toEqual(['b'])
      expect((await ids({ metadata: { court: 'x' } })).sort()).toEqual(['a', 'a', 'b'])
      expect(await ids({ metadata: { court: 'x', year: 2020 } })).toEqual(['b'])
      expect(await ids({ document_ids: [] })).toEqual([])
    })

    test('only law in force on the as_of date is found; the default is today', async () => {
      const kb = await at.createBase()
      const version = (document_id: string, metadata: object) => ({
        document_id,
        metadata,
        chunks: ['usury is forbidden'],
      })
      await at.upsert(kb, [
        version('old', { effective_from: '1999-10-01', effective_to: '2021-01-01' }),
        version('new', { effective_from: '2021-01-01' }),
        version('coming', { effective_from: '2999-01-01' }),
        version('timeless', {}),
      ])
      const on = async (as_of?: string) =>
        (await at.searchIds([kb], 'usury', as_of ? { as_of } : {})).sort()
      expect(await on()).toEqual(['new', 'timeless'])
      expect(await on('2020-12-31')).toEqual(['old', 'timeless'])
      expect(await on('2021-01-01')).toEqual(['new', 'timeless'])
      expect(await on('1990-01-01')).toEqual(['timeless'])
    })

    test('a document in force is found among many repealed documents', async () => {
      const kb = await at.createBase()
      const repealed = Array.from({ length: 400 }, (_, index) => ({
        document_id: `gone-${index}`,
        metadata: { effective_to: '2000-01-01' },
        chunks: ['tithe tithe tithe'],
      }))
      await at.upsert(kb, [
        ...repealed,
        { document_id: 'left', chunks: ['Among many other things that are said here: tithe.'] },
      ])
      expect(await at.searchIds([kb], 'tithe')).toEqual(['left'])
    })

    test('paged results have the same order as the whole list', async () => {
      const kb = await at.createBase()
      await at.upsert(
        kb,
        Array.from({ length: 130 }, (_, index) => ({
          document_id: `d${index}`,
          chunks: [`easement ${'and more '.repeat(index % 13)}`],
        })),
      )
      const all = [
        ...(await at.searchIds([kb], 'easement', { top_k: 100 })),
        ...(await at.searchIds([kb], 'easement', { top_k: 100, offset: 100 })),
      ]
      expect(new Set(all).size).toBe(130)
      const paged: string[] = []
      for (let offset = 0; offset < 130; offset += 35) {
        paged.push(...(await at.searchIds([kb], 'easement', { top_k: 35, offset })))
      }
      expect(paged).toEqual(all)
      const { data } = await at.search([kb], 'easement', { top_k: 1 })
      const above = data.hits[0].score + 1
      expect(await at.searchIds([kb], 'easement', { min_score: above })).toEqual([])
    })

    test('a document whose title or phrase matches the query ranks first', async () => {
      const kb = await at.createBase()
      await at.upsert(kb, [
        ...filler,
        { document_id: 'a', title: '担保制度解释', chunks: ['保证人承担的责任由当事人约定。'] },
        { document_id: 'b', title: '民间借贷规定', chunks: ['保证人承担的责任由当事人约定。'] },
      ])
      expect((await at.searchIds([kb], '民间借贷的保证人'))[0]).toBe('b')
      await at.upsert(kb, [
        { document_id: 'c', title: 'T', chunks: ['quorum of directors and notice of meeting'] },
        { document_id: 'd', title: 'T', chunks: ['notice of directors and quorum of meeting'] },
      ])
      expect((await at.searchIds([kb], 'quorum of meeting'))[0]).toBe('d')
    })

    test('a cause of action is found by its aliases', async () => {
      const kb = await at.createBase()
      await at.upsert(kb, [
        ...filler,
        { document_id: 'lending', chunks: ['民间借贷纠纷由被告住所地人民法院管辖。'] },
      ])
      expect(await at.searchIds([kb], '欠钱赖账')).toEqual([])
      const profiles = [
        { code: 'lending', name: '民间借贷纠纷', aliases: ['欠钱赖账', 'unpaid loan'] },
      ]
      await at.post(`${seed}/cause-of-action-profiles/import`, { profiles })
      expect((await at.searchIds([kb], '欠钱赖账'))[0]).toBe('lending')
      expect((await at.searchIds([kb], 'an unpaid loan, please help'))[0]).toBe('lending')
    })

    test('a search covers the named bases, or all readable bases if none is named', async () => {
      const [one, two] = [await at.createBase(), await at.createBase()]
      await at.upsert(one, [{ document_id: 'in-one', chunks: ['seisin'] }])
      await at.upsert(two, [{ document_id: 'in-two', chunks: ['seisin'] }])
      expect((await at.searchIds([one, two], 'seisin')).sort()).toEqual(['in-one', 'in-two'])
      expect((await at.searchIds([], 'seisin')).sort()).toEqual(['in-one', 'in-two'])
      const unknown = await at.search(['sys_nowhere'], 'seisin')
      expect([unknown.status, unknown.code]).toEqual([404, 'NOT_FOUND'])
    })
  })
})
