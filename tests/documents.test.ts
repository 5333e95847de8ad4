import { afterAll, beforeAll, expect, test } from 'vitest'
import { findMissingOffice, type ReadPdf, readAsPdf } from './support/office.ts'
import { loadStories } from './support/story.ts'
import { type StorySuite, startStorySuite } from './support/story-suite.ts'
import { isDocx, tellStory } from './support/tell-story.ts'

/** Stories that together deliver every kind of document, in both languages. */
const chosen = [
  'a loan told in English',
  'a dismissal',
  'a letter from a lawyer',
  'a purchase contract',
  'a borrower who is sued',
]
const missing = findMissingOffice()

/** What a reader of each kind of document must find, beside what its story expects. */
const marks: Record<string, RegExp[]> = {
  statement_of_claim: [/当事人信息/, /诉讼请求/, /事实和理由/, /具状人（签名或盖章）/],
  arbitration_application: [/仲裁请求/, /申请人（签名或盖章）/],
  answer: [/答辩意见/, /事实和理由/],
  evidence_list: [/序号/, /证明目的/, /提交人/],
  legal_opinion: [/一、案件事实|1\. Facts/, /法律依据|Law/],
  demand_letter: [/致：|To: /, /七日内|seven days/],
  lawyer_letter: [/致：/, /承办律师/],
  review_opinion: [/级别/, /建议文字/],
  contract_redline: [/第一条/],
}
/** Heads of tables as lines of the page. */
const tableHeads: Record<string, RegExp> = {
  evidence_list: /序号\s+证据名称\s+证明目的/,
  legal_opinion: /要件\s+事实和证据|Element\s+Facts and evidence/,
  review_opinion: /级别\s+条款\s+风险/,
}
/** Texts that only a fault of the rendering would show: keys, unformatted dates, empty values. */
const faults = [/\b[a-z]+_[a-z_]+\b/, /\d{4}-\d{2}-\d{2}/, /undefined|null|NaN|\[object/]

let suite: StorySuite
beforeAll(async () => {
  if (!missing) suite = await startStorySuite('pglite')
}, 120_000)
afterAll(() => suite?.close())

/** The text without spaces: a conversion may break a line anywhere. */
const squeeze = (text: string) => text.replace(/\s/g, '')

function expectReadable(name: string, key: string, { text, layout, fonts, pages }: ReadPdf) {
  expect(pages, name).toBeGreaterThan(0)
  const isChinese = /\p{Script=Han}/u.test(text.split('\n').slice(-4).join(''))
  const number = isChinese ? `第1页共${pages}页` : `Page1of${pages}`
  expect(squeeze(text), name).toContain(number)
  for (const mark of marks[key] ?? []) expect(squeeze(text), name).toMatch(squeezed(mark))
  if (tableHeads[key]) expect(layout, name).toMatch(tableHeads[key])
  for (const fault of faults) expect(text, name).not.toMatch(fault)
  expect(fonts.length, name).toBeGreaterThan(0)
  expect(
    fonts.filter(({ isEmbedded }) => !isEmbedded),
    name,
  ).toEqual([])
}

const squeezed = ({ source }: RegExp) => new RegExp(source.replace(/ /g, ''))

test('every kind of document converts with its text, tables, fonts and page numbers', async (context) => {
  if (missing) return context.skip(missing)
  const stories = loadStories().filter(({ name }) => chosen.some((part) => name.includes(part)))
  expect(stories.length).toBeGreaterThanOrEqual(chosen.length)
  const files: Record<string, Uint8Array> = {}
  const sources: Record<string, { key: string; expected: string[] }> = {}
  for (const [index, story] of stories.entries()) {
    const told = await tellStory(suite, story)
    for (const deliverable of told.deliverables) {
      const { deliverable_key, file_id } = deliverable
      const key = deliverable_key.replace(/_pdf$/, '')
      const name = `${index}-${deliverable_key}`
      files[`${name}.${isDocx(deliverable) ? 'docx' : 'pdf'}`] = await suite.download(file_id)
      sources[`${name}.pdf`] = { key, expected: story.expect.texts[key] ?? [] }
    }
  }
  const read = readAsPdf(files)
  expect(Object.keys(read).sort()).toEqual(Object.keys(sources).sort())
  expect(new Set(Object.values(sources).map(({ key }) => key))).toEqual(new Set(Object.keys(marks)))
  for (const [name, { key, expected }] of Object.entries(sources)) {
    expectReadable(name, key, read[name]!)
    for (const passage of expected)
      expect(squeeze(read[name]!.text), name).toContain(squeeze(passage))
  }
}, 120_000)
