import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  atomic,
  external,
  type KnowledgeStage,
  seed,
  stageKnowledge,
} from '../../../tests/support/knowledge.ts'

let at: KnowledgeStage
beforeAll(async () => {
  at = await stageKnowledge()
})
afterAll(() => at.close())

const element = (element_id: string, more = {}) => ({
  element_id,
  cause_of_action_code: 'lending',
  name: `Element ${element_id}`,
  description: '',
  order_num: 1,
  burden_of_proof: 'plaintiff',
  required: true,
  evidence_types: ['contract'],
  questions: [{ question: 'Is there a contract?' }],
  legal_basis: [{ law: 'Sample Code', article: 'Art. 1' }],
  ...more,
})
const item = (item_id: string) => ({
  item_id,
  service_type_id: 'contract_review',
  phase_id: 'intake',
  name: `Item ${item_id}`,
  order_num: 1,
  materials: ['draft'],
})
const counts = (created: number, updated: number, unchanged: number, deleted: number) => ({
  ...{ created, updated, unchanged, deleted },
})

describe('seed/structured/import', () => {
  const send = async (body: object) => (await at.post(`${seed}/structured/import`, body)).data
  const source = { package_id: 'p1', version: '2026-01-01' }

  test('a structured import returns its counts, and repeating it changes nothing', async () => {
    const body = {
      litigation_elements: [element('e1'), element('e2', { order_num: 0 })],
      non_litigation_checklists: [item('i1')],
      mappings: [{ element_id: 'e1', kb_id: 'sys_laws', document_id: 'law', relevance: 0.9 }],
      sync_to_neo4j: true,
      source,
    }
    const planned = await send({ ...body, dry_run: true })
    expect(planned).toEqual({ ...counts(4, 0, 0, 0), graph: 'skipped' })
    expect(await send(body)).toEqual({ ...counts(4, 0, 0, 0), graph: 'skipped' })
    expect(await send(body)).toEqual({ ...counts(0, 0, 4, 0), graph: 'skipped' })

    const less = { litigation_elements: [element('e1', { name: 'Renamed' })], source }
    expect(await send({ ...less, dry_run: true })).toMatchObject(counts(0, 1, 0, 3))
    expect(await send(less)).toMatchObject(counts(0, 1, 0, 3))
    expect(await send({ litigation_elements: [] })).toMatchObject(counts(0, 0, 0, 0))
    expect(await send(less)).toMatchObject(counts(0, 0, 1, 0))
  })

  test('an import does not delete records of another package', async () => {
    const other = { package_id: 'p2' }
    await send({ litigation_elements: [element('o1')], source: other })
    await send({ litigation_elements: [], source: { package_id: 'p3' } })
    expect(await send({ litigation_elements: [element('o1')], source: other })).toMatchObject(
      counts(0, 0, 1, 0),
    )
  })

  test('an import does not change a record of another kind with the same key', async () => {
    await send({ litigation_elements: [element('same')], source: { package_id: 'other' } })
    const items = { non_litigation_checklists: [item('same')], source: { package_id: 'p9' } }
    expect(await send(items)).toMatchObject(counts(1, 0, 0, 0))
    const again = { litigation_elements: [element('same')], source: { package_id: 'other' } }
    expect(await send(again)).toMatchObject(counts(0, 0, 1, 0))
  })

  test('a system document with two chunks at one index is rejected with 400', async () => {
    const chunk = { chunk_index: 413, content: 'A loan is repaid.' }
    const { status, data } = await at.post(`${seed}/system-kb-documents/import`, {
      kb: { name: 'sys_duplicate_chunks' },
      documents: [{ document_id: 'd', doc_type: 'statute', title: 'D', chunks: [chunk, chunk] }],
    })
    expect(status).toBe(400)
    expect(data.issues[0].path).toBe('documents.0.chunks.1.chunk_index')
  })

  test('a structured import with a duplicate or malformed record is rejected with 400', async () => {
    const twice = await at.post(`${seed}/structured/import`, {
      litigation_elements: [element('t'), element('t')],
    })
    expect(twice.status).toBe(400)
    const odd = [element('x', { burden_of_proof: 'judge' })]
    const malformed = await at.post(`${seed}/structured/import`, { litigation_elements: odd })
    expect(malformed.data.issues[0].path).toBe('litigation_elements.0.burden_of_proof')
  })
})

describe('causes of action', () => {
  test('imported causes of action are returned with their elements', async () => {
    const profile = (code: string, more = {}) => ({
      ...{ code, name: `Cause ${code}`, parent_code: null, aliases: [`Alias of ${code}`] },
      ...{ keywords: [], description: '', typical_claims: ['repayment'] },
      ...{ limitation: { years: 3, basis: 'Sample Code Art. 188' } },
      ...{ jurisdiction_hint: null, risk_factors: [], strategy_templates: [] },
      ...more,
    })
    const profiles = [profile('sale'), profile('sale.defect', { parent_code: 'sale' })]
    const send = async (body: object) =>
      (await at.post(`${seed}/cause-of-action-profiles/import`, body)).data
    const source = { package_id: 'causes' }
    expect(await send({ profiles, dry_run: true, source })).toEqual(counts(2, 0, 0, 0))
    expect(await send({ profiles, source })).toEqual(counts(2, 0, 0, 0))
    expect(await send({ profiles, source })).toEqual(counts(0, 0, 2, 0))

    await at.post(`${seed}/structured/import`, {
      litigation_elements: [
        element('s2', { cause_of_action_code: 'sale', order_num: 2 }),
        element('s1', { cause_of_action_code: 'sale', order_num: 1 }),
      ],
      mappings: [{ element_id: 's1', kb_id: 'sys_laws', document_id: 'law', section_id: '第一条' }],
    })
    const { data } = await at.get(`${external}/causes-of-action/sale`)
    expect(data).toMatchObject(profiles[0]!)
    expect(data.elements.map((each: any) => each.element_id)).toEqual(['s1', 's2'])
    expect(data.elements[0].knowledge).toMatchObject([{ document_id: 'law', relevance: 1 }])
    const page = await at.get(`${external}/causes-of-action?parent_code=sale`)
    expect(page.data.items).toEqual([profiles[1]])
    const byAlias = await at.get(
      `${external}/causes-of-action?q=${encodeURIComponent('alias of SALE.d')}`,
    )
    expect(byAlias.data.total).toBe(1)
    expect((await at.get(`${external}/causes-of-action/nothing`)).status).toBe(404)
    expect(await send({ profiles: [profiles[0]], source })).toEqual(counts(0, 0, 1, 1))
  })

  test('a cause of action is returned with its English text, defences, calculations and cases', async () => {
    const legal_basis = [{ law: 'Sample Code', article: '第一条', quote: 'A loan is repaid.' }]
    const input = element('full.e1', {
      cause_of_action_code: 'full',
      ...{ name_en: 'Agreement', description_en: 'They agreed.', standard: 'High probability' },
      ...{ side: 'lender', applies_when: '请求利息', applies_when_en: 'Interest is claimed' },
      defences: [
        { name: '否认', description: '', kind: 'denial', legal_basis },
        {
          ...{ name: '已还', description: '', kind: 'objection', burden_of_proof: 'defendant' },
          legal_basis,
        },
        {
          name: '时效',
          name_en: 'Time',
          description: 'x',
          burden_of_proof: 'plaintiff',
          legal_basis,
        },
      ],
      calculation: {
        name: '利息',
        name_en: 'Interest',
        formula: 'p * r',
        inputs: ['p'],
        legal_basis,
      },
      cases: [
        { facts: 'An IOU.', met: true },
        { facts: 'A gift.', met: false, why: 'No loan.' },
      ],
    })
    const profile = {
      ...{ code: 'full', name: '全', name_en: 'Full', description_en: 'All of it.' },
      ...{ dictionary_version: '2025', risk_factors: [{ name: 'r', name_en: 'R' }] },
      as_of: '2026-11-15',
      parties: [{ role: 'lender', name: '出借人', name_en: 'Lender', position: 'plaintiff' }],
      laws: [{ law: 'Sample Code', effective_from: '2021-01-01' }],
      interpretations: [{ law: 'Sample Rules', effective_from: null }],
      later_texts: [{ title: 'New Code', number: '1', effective_from: '2027-01-01', note: 'n' }],
    }
    await at.post(`${seed}/cause-of-action-profiles/import`, { profiles: [profile] })
    await at.post(`${seed}/structured/import`, { litigation_elements: [input] })
    const { data } = await at.get(`${external}/causes-of-action/full`)
    expect(data).toMatchObject({ ...profile, elements: [input] })
    const listed = await at.get(`${external}/causes-of-action?q=${encodeURIComponent('全')}`)
    expect(listed.data.items).toMatchObject([profile])
  })

  test.each([
    ['defences.0.burden_of_proof', { defences: [{ name: 'd', burden_of_proof: 'judge' }] }],
    ['defences.0.kind', { defences: [{ name: 'd', kind: 'excuse' }] }],
    [
      'defences.0.burden_of_proof',
      { defences: [{ name: 'd', kind: 'denial', burden_of_proof: 'defendant' }] },
    ],
    ['calculation.formula', { calculation: { name: 'c' } }],
    ['cases.0.met', { cases: [{ facts: 'f' }] }],
  ])('an element with a malformed %s is rejected', async (path, odd) => {
    const litigation_elements = [element('odd', odd)]
    const { status, data } = await at.post(`${seed}/structured/import`, { litigation_elements })
    expect([status, data.issues[0].path]).toEqual([400, `litigation_elements.0.${path}`])
  })

  test('checklists are returned by service type', async () => {
    const more = { name_en: 'Draft', description_en: 'The draft.', legal_basis: [] }
    const non_litigation_checklists = [item('c1'), { ...item('c2'), service_type_id: 7, ...more }]
    await at.post(`${seed}/structured/import`, { non_litigation_checklists })
    const { data } = await at.get(`${external}/checklists?service_type_id=7`)
    expect(data.items).toMatchObject([
      { item_id: 'c2', service_type_id: '7', required: true, ...more },
    ])
  })
})

describe('seed/system-kb-documents/import', () => {
  const law = (document_id: string, content: string) => ({
    ...{ document_id, doc_type: 'statute', title: `Law ${document_id}`, content },
  })
  const send = (body: object) => at.post(`${seed}/system-kb-documents/import`, body)
  const kb = { name: 'sys_import' }
  const source = { package_id: 'laws' }

  test('a document import creates the base, chunks content by its sections and returns counts', async () => {
    const documents = [
      law('a', 'Chapter 1 General\nArticle 1 Loans are repaid.\nArticle 2 Interest is agreed.'),
      law('b', 'Article 1 Leases end.'),
    ]
    const planned = await send({ kb, documents, source, dry_run: true })
    expect(planned.data).toEqual(counts(2, 0, 0, 0))
    expect((await at.search(['sys_import'], 'loans')).status).toBe(404)
    expect((await send({ kb, documents, source })).data).toEqual(counts(2, 0, 0, 0))
    expect((await send({ kb, documents, source })).data).toEqual(counts(0, 0, 2, 0))

    const { data } = await at.post(`${atomic}/document`, { kb_id: 'sys_import', document_id: 'a' })
    expect(data.sections.map((each: any) => [each.section_id, each.parent_id])).toEqual([
      ['Chapter 1', null],
      ['Chapter 1/Article 1', 'Chapter 1'],
      ['Chapter 1/Article 2', 'Chapter 1'],
    ])
    expect(data.chunks[1]).toMatchObject({
      section_id: 'Chapter 1/Article 2',
      content: 'Article 2 Interest is agreed.',
      metadata: { heading: 'Chapter 1 General' },
    })
    const fewer = [law('a', 'Article 1 Loans are forgiven.'), law('c', 'Article 1 New.')]
    expect((await send({ kb, documents: fewer, source })).data).toEqual(counts(1, 1, 0, 1))
    expect(await at.searchIds(['sys_import'], 'leases')).toEqual([])
    expect(await at.searchIds(['sys_import'], 'forgiven')).toEqual(['a'])
  })

  test('a document import without a source deletes nothing', async () => {
    const name = { name: 'sys_kept' }
    await send({ kb: name, documents: [law('a', 'Article 1 A.'), law('b', 'Article 1 B.')] })
    const again = await send({ kb: name, documents: [law('a', 'Article 1 A.')] })
    expect(again.data).toEqual(counts(0, 0, 1, 0))
    const { data } = await at.get(`${external}/bases?size=200`)
    expect(data.items.find((each: any) => each.name === 'sys_kept').chunks).toBe(2)
  })

  test('a document import into a base that is not a system base is rejected', async () => {
    const refused = await send({ kb: { name: 'mine' }, documents: [] })
    expect([refused.status, refused.data.issues[0].path]).toEqual([400, 'kb.name'])
  })
})
