import { expect, test } from 'vitest'
import { seedCauseTools } from '../../../../tests/support/seed-causes.ts'
import type { CalculationResult } from '../calculation/calculate.ts'
import type { Block, Source } from './document.ts'
import { checkDocuments, type GateFact } from './gate.ts'

const calculation: CalculationResult = {
  calculations: [
    {
      calculator: 'loan_interest',
      title: { zh: '', en: '' },
      inputs: { principal: 100_000 },
      facts: { amount: 100_000 },
      result: { interest: 10_000.5, segments: [{ interest: 7_000 }] },
      steps: [],
      articles: [],
    },
  ],
  claims: [{ name: '支付利息', amount: 10_000.5, source: 'loan_interest' }],
  skipped: [],
}
const confirmed = { 'intake.amount': { value: 100_000, confirmed: true } }
const check = (block: Block, as_of = '2026-06-15', facts: Record<string, GateFact> = confirmed) =>
  checkDocuments(
    [{ key: 'd', title: 'T', kind: 'k', filename: 'd.docx', language: 'zh', blocks: [block] }],
    {
      facts: new Map(Object.entries(facts)),
      fileIds: new Set(['f-1']),
      calculation,
      contradicted: [70_000],
      as_of,
      tools: seedCauseTools(),
    },
  )
const paragraph = (text: string, ...sources: Source[]): Block => ({
  type: 'paragraph',
  text,
  sources,
})
const form: Source = { kind: 'form' }

test.each([
  ['a fact', paragraph('借款100,000元。', { kind: 'fact', key: 'intake.amount' })],
  ['a file', paragraph('借条写明借款。', { kind: 'file', file_id: 'f-1' })],
  ['a result', paragraph('利息10,000.5元。', { kind: 'calculation', id: 'loan_interest' })],
  ['an article in force', paragraph('依据《民法典》第六百七十五条。', form)],
  [
    'an interpretation with a law in its title',
    paragraph('依据《最高人民法院关于适用《民法典》婚姻家庭编的解释（一）》第四十九条。', form),
  ],
])('a statement that rests on %s passes', async (_, block) => {
  expect(await check(block)).toEqual([])
})

test.each([
  ['no source', 'source', paragraph('被告承认欠款。')],
  ['an unknown fact', 'source', paragraph('欠款。', { kind: 'fact', key: 'intake.none' })],
  ['a file of another matter', 'source', paragraph('欠款。', { kind: 'file', file_id: 'f-9' })],
  ['a missing calculation', 'source', paragraph('x', { kind: 'calculation', id: 'severance' })],
  ['an amount that was not calculated', 'amount', paragraph('支付12,345元。', form)],
  ['a law that does not exist', 'citation', paragraph('依据《讨债法》第一条。', form)],
  [
    'a second article that does not exist',
    'citation',
    paragraph('《民法典》第六百七十五条、第九千条', form),
  ],
  [
    'a missing article of an interpretation with a law in its title',
    'citation',
    paragraph('依据《最高人民法院关于适用《民法典》婚姻家庭编的解释（一）》第九百条。', form),
  ],
  [
    'a missing article of an interpretation with its number after the title',
    'citation',
    paragraph('依据《最高人民法院关于审理劳动争议案件适用法律问题的解释》（二）第九百条。', form),
  ],
  [
    'an amount that its fact does not state',
    'amount',
    paragraph('借款100,001元。', { kind: 'fact', key: 'intake.amount' }),
  ],
  [
    'a sum that the sources contradict',
    'contradicted',
    paragraph('借条写明7万元。', { kind: 'file', file_id: 'f-1' }),
  ],
  ['a blank that is not filled in', 'blank', paragraph('原告：（待补充）', form)],
])('a statement with %s fails by the rule %s', async (_, rule, block) => {
  expect(await check(block)).toMatchObject([{ document: 'd', rule }])
})

test('an article is checked as of the day whose law governs the case', async () => {
  const block = paragraph('依据《民法典》第六百七十五条。', form)
  expect(await check(block, '2018-05-01')).toMatchObject([
    { rule: 'citation', text: '《民法典》第六百七十五条' },
  ])
})

test('a quote that differs from its article fails', async () => {
  const citation = { law: '民法典', article: '第六百七十五条', quote: '借款人可以不还' }
  expect(await check(paragraph('x', { kind: 'citation', citation }))).toMatchObject([
    { rule: 'citation', reason: 'quote_differs' },
  ])
})

const result: Source = { kind: 'calculation', id: 'loan_interest' }
const fact: Source = { kind: 'fact', key: 'intake.amount' }

test.each([
  ['a fact that is not confirmed', fact, { value: 100_000, confirmed: false }, 'unconfirmed'],
  [
    'a calculation with an unconfirmed fact',
    result,
    { value: 100_000, confirmed: false },
    'unconfirmed',
  ],
  ['a calculation with a fact that changed', result, { value: 80_000, confirmed: true }, 'stale'],
])('a statement that rests on %s fails', async (_, source, amount, rule) => {
  const faults = await check(paragraph('利息10,000.5元。', source), undefined, {
    'intake.amount': amount,
  })
  expect(faults).toMatchObject([{ document: 'd', rule }])
  expect(faults[0]!.reason).toContain('intake.amount')
})

test('a calculation with a fact that is not known any more fails', async () => {
  const faults = await check(paragraph('利息10,000.5元。', result), undefined, {})
  expect(faults).toMatchObject([{ rule: 'stale' }])
})

test('a claim whose amount differs from its fact fails', async () => {
  const claimed = {
    ...calculation,
    claims: [{ name: '返还', amount: 90_000, source: 'intake.amount' }],
  }
  const faults = await checkDocuments(
    [
      {
        ...{ key: 'd', title: 'T', kind: 'k', filename: 'd.docx', language: 'zh' },
        blocks: [paragraph('返还90,000元。', fact)],
      },
    ],
    {
      facts: new Map(Object.entries(confirmed)),
      fileIds: new Set(),
      calculation: claimed,
      contradicted: [],
      as_of: '2026-06-15',
      tools: seedCauseTools(),
    },
  )
  expect(faults).toMatchObject([{ rule: 'stale', reason: 'changed: intake.amount' }])
})
