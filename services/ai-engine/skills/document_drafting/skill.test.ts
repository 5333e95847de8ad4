import { strFromU8, unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { seedCauseTools, type TestFiles } from '../../../../tests/support/seed-causes.ts'
import { makeSkillThread } from '../../../../tests/support/skill.ts'
import calculation from '../calculation/skill.ts'
import evidenceAnalysis from '../evidence_analysis/skill.ts'
import legalResearch from '../legal_research/skill.ts'
import sufficiency from '../sufficiency/skill.ts'
import skill from './skill.ts'

const files: TestFiles = {
  iou: {
    filename: '借条.txt',
    text: '借条\n今借到李四人民币100000元，2024年5月1日前归还。\n借款人：张三\n2023年5月1日',
  },
}
const intake_collection = {
  cause_of_action_code: 'private_lending',
  client_role: 'claimant',
  what_happened: '我在2023年5月1日借给张三10万元，他一直不还。',
  opposing_party: '张三',
  amount: 100_000,
  event_date: '2023-05-01',
  interest_agreed: false,
  private_lending: { delivered_amount: 100_000, due_date: '2024-05-01' },
}

/** Runs the skills before the drafting and returns a thread of it. */
async function makeThread(changes: object = {}, runtime: 'node' | 'workerd' = 'node') {
  const tools = seedCauseTools(files)
  const state: Record<string, unknown> = {
    intake_collection: { ...intake_collection, ...changes },
    file_ids: ['iou'],
  }
  const before = { evidence_analysis: evidenceAnalysis, sufficiency, legal_research: legalResearch }
  for (const [name, code] of Object.entries({ ...before, calculation })) {
    const thread = makeSkillThread(name, code, { tools, state })
    await thread.rerun()
    state[name] = thread.state[name]
  }
  return makeSkillThread('document_drafting', skill, { tools, state, runtime })
}

const readPart = (content: string, path: string) =>
  strFromU8(unzipSync(Uint8Array.from(atob(content), (sign) => sign.charCodeAt(0)))[path]!)
const readDocx = (content: string) => readPart(content, 'word/document.xml').replace(/<[^>]+>/g, '')

const details = {
  'details.client_name': '李四',
  'details.court': '北京市朝阳区人民法院',
}

test('names are asked first, then the drafts are confirmed, then they are released as DOCX and PDF', async () => {
  const thread = await makeThread()
  const first = await thread.rerun()
  // The intake knows the other side.
  expect(first.card!.questions.map(({ field_key }) => field_key)).toEqual([
    'document_drafting.details.client_name',
    'document_drafting.details.court',
    'document_drafting.details.client_contact',
    'document_drafting.details.opposing_contact',
  ])
  const second = await thread.answer(details)
  expect(second.card).toMatchObject({ review_type: 'confirm' })
  expect(second.card!.questions[0]!.question).toContain('民事起诉状')
  expect(second.output.faults).toEqual([])
  expect(second.documents).toEqual([])
  const third = await thread.answer({ confirmed: true })
  expect(third.card).toBeNull()
  const keys = ['statement_of_claim', 'evidence_list', 'legal_opinion', 'demand_letter']
  expect(third.output.released).toEqual(keys)
  expect(third.documents.map(({ deliverable_key }) => deliverable_key)).toEqual(
    keys.flatMap((key) => [key, `${key}_pdf`]),
  )
  expect(third.documents[1]).toMatchObject({
    kind: 'statement_of_claim',
    filename: '民事起诉状.pdf',
    content: expect.stringMatching(/^JVBERi0/),
  })
  const xml = readPart(third.documents[0]!.content, 'word/document.xml')
  for (const text of ['民事起诉状', '李四', '返还借款本金', '100,000元', '第六百七十五条'])
    expect(xml).toContain(text)
  expect(xml).toContain('<w:tbl>')
  expect(readPart(third.documents[0]!.content, 'word/footer1.xml')).toContain('PAGE')
  expect(readPart(third.documents[0]!.content, 'word/fontTable.xml')).toContain('宋体')
})

test('a runtime without a file system delivers DOCX alone', async () => {
  const thread = await makeThread({}, 'workerd')
  await thread.rerun()
  await thread.answer(details)
  const { documents } = await thread.answer({ confirmed: true })
  expect(documents.map(({ filename }) => filename)).toEqual([
    '民事起诉状.docx',
    '证据清单.docx',
    '法律意见书.docx',
    '催告函.docx',
  ])
})

test('contact details that the person gives are in the claim, others are filled in by hand', async () => {
  const thread = await makeThread()
  await thread.rerun()
  await thread.answer({ ...details, 'details.client_contact': '北京市朝阳区1号，13800000000' })
  const { documents } = await thread.answer({ confirmed: true })
  const text = readDocx(documents[0]!.content)
  expect(text).toContain('住所地和联系电话：北京市朝阳区1号，13800000000')
  expect(text).toContain('住所地和联系电话：＿＿')
})

test('a person who declines gets nothing, and is not asked again for the same drafts', async () => {
  const thread = await makeThread()
  await thread.rerun()
  await thread.answer(details)
  const declined = await thread.answer({ confirmed: false })
  expect(declined.documents).toEqual([])
  expect(declined.output.released).toEqual([])
  expect((await thread.rerun()).card).toBeNull()
})

test('a document that lacks a name stays on the card and is not released', async () => {
  const thread = await makeThread()
  await thread.rerun()
  const { card, output } = await thread.skip()
  expect(output.faults).toContainEqual(
    expect.objectContaining({ document: 'statement_of_claim', rule: 'blank' }),
  )
  expect(card!.questions[0]!.question).toContain('未通过检查')
  const done = await thread.answer({ confirmed: true })
  const keys = done.documents.map(({ deliverable_key }) => deliverable_key)
  expect(keys).not.toContain('statement_of_claim')
  expect(keys).toContain('legal_opinion')
})

test('law that was not in force at the time of the facts is not delivered', async () => {
  const early = {
    event_date: '2018-05-01',
    private_lending: { delivered_amount: 100_000, due_date: '2019-05-01' },
  }
  const thread = await makeThread(early)
  await thread.rerun()
  const { output } = await thread.answer(details)
  const { citations } = thread.state.legal_research as { citations: { law: string }[] }
  expect(citations.map(({ law }) => law)).not.toContain('民法典')
  expect(output.faults.filter(({ rule }: { rule: string }) => rule === 'citation')).toEqual([])
})

test('a party that is claimed against gets an answer and an opinion, no claim', async () => {
  const thread = await makeThread({ client_role: 'respondent' })
  await thread.rerun()
  const { output } = await thread.answer(details)
  const keys = output.documents.map(({ key }: { key: string }) => key)
  expect(keys).toEqual(['answer', 'evidence_list', 'legal_opinion'])
  expect(output.faults).toEqual([])
})

test('facts of a model or a file are read back with the drafts and are confirmed with them', async () => {
  const thread = await makeThread({
    found_by: { opposing_party: 'model', 'private_lending.agreement_form': 'file' },
    private_lending: { ...intake_collection.private_lending, agreement_form: 'written' },
  })
  await thread.rerun()
  const { card, output } = await thread.answer(details)
  const { question } = card!.questions[0]!
  expect(question).toContain('确认即表示属实')
  expect(question).toContain('对方：张三')
  expect(question).toContain('书面借条或合同')
  expect(output.faults).toEqual([])
  const declined = await thread.answer({ confirmed: false })
  expect(declined.documents).toEqual([])
  expect(thread.state.facts).toMatchObject({ opposing_party: { confirmed: false } })
})

test('the confirmation of drafts confirms the facts that their card showed', async () => {
  const thread = await makeThread({ found_by: { opposing_party: 'model' } })
  await thread.rerun()
  await thread.answer(details)
  const { documents, products } = await thread.answer({ confirmed: true })
  expect(documents.map(({ deliverable_key }) => deliverable_key)).toContain('statement_of_claim')
  expect(thread.state.facts).toMatchObject({ opposing_party: { source: 'model', confirmed: true } })
  expect(products.profile).toEqual({ unconfirmed_facts: [] })
  expect((await thread.rerun()).card).toBeNull()
})

test('a confirmation of drafts whose facts have changed since delivers nothing and shows the new ones', async () => {
  const thread = await makeThread()
  await thread.rerun()
  await thread.answer(details)
  const facts = thread.state.facts as Record<string, { value: unknown }>
  facts.opposing_party!.value = '张三丰'
  const { documents, card } = await thread.answer({ confirmed: true })
  expect(documents).toEqual([])
  expect(card).toMatchObject({ review_type: 'confirm' })
})

test('a document with a calculation of an amount that was corrected since is kept back and listed', async () => {
  const thread = await makeThread()
  await thread.rerun()
  const facts = thread.state.facts as Record<string, { value: unknown }>
  facts['private_lending.delivered_amount']!.value = 80_000
  const { card, output } = await thread.answer(details)
  expect(output.faults).toContainEqual(
    expect.objectContaining({ document: 'statement_of_claim', rule: 'stale' }),
  )
  expect(card!.questions[0]!.question).toContain('所依据的事实已变更')
  const { documents } = await thread.answer({ confirmed: true })
  expect(documents.map(({ deliverable_key }) => deliverable_key)).not.toContain(
    'statement_of_claim',
  )
})
