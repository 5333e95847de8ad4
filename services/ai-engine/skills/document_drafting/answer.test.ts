import { expect, test } from 'vitest'
import { draftAnswer } from './answer.ts'
import type { DraftBasis } from './draft-basis.ts'

const repaidKey = 'intake.private_lending.repaid_amount'
const repayment = {
  name: '已经偿还',
  kind: 'objection',
  only_if: [{ field_key: 'intake_collection.private_lending.repaid_amount' }],
  legal_basis: [{ law: '民法典', article: '第五百五十七条', quote: '债务已经履行' }],
}
const principal = {
  element_id: 'private_lending.principal',
  name: '本金数额',
  required: true,
  only_if: [],
  questions: [],
  legal_basis: [],
  defences: [repayment],
}
const limitation = (last_day: string) => ({ calculator: 'limitation', result: { last_day } })

/** The rows of the answer of a borrower who is sued for 100,000 yuan, by label. */
function answer({ repaid, calculations = [] }: { repaid?: number; calculations?: object[] }) {
  const facts = [
    { key: 'intake.amount', value: 100_000 },
    ...(repaid === undefined ? [] : [{ key: repaidKey, value: repaid }]),
  ]
  const basis = {
    cause: { code: 'private_lending', name: '民间借贷纠纷' },
    ...{ details: {}, items: [], issues: [], elements: [], today: '2026-06-15' },
    citations: [
      {
        ...{ law: '民法典', article: '第五百五十七条', quote: '债务已经履行' },
        ...{ element_ids: [principal.element_id], grounds_claim: false, grounds_defence: true },
      },
    ],
    calculation: { calculations, claims: [], skipped: [] },
    caseFile: {
      ...{ language: 'zh', texts: [], elements: [principal], facts, cause: { elements: [] } },
      fields: { client_role: 'respondent', amount: 100_000 },
    },
  } as unknown as DraftBasis
  const [table] = draftAnswer(basis).blocks as any[]
  return Object.fromEntries(
    table.rows.flatMap(({ cells }: any) => (cells ? [cells as [string, string]] : [])),
  )
}

test('a debt that is repaid in full is to be dismissed, with the article', () => {
  const rows = answer({ repaid: 100_000 })
  expect(rows.对请求的意见).toContain('请求依法驳回。')
  expect(rows.已经偿还).toContain('《民法典》第五百五十七条')
})

test('a part that is repaid dismisses that part only', () => {
  expect(answer({ repaid: 40_000 }).对请求的意见).toContain('请求依法驳回该部分请求')
})

test('a limitation period that is over is pleaded against the whole claim', () => {
  const rows = answer({ repaid: 40_000, calculations: [limitation('2026-06-14')] })
  expect(rows.对请求的意见).toContain('请求依法驳回。')
  expect(rows.诉讼时效期间届满).toContain('2026年6月14日')
})

test('without a defence the answer asks for proof and dismisses nothing', () => {
  const rows = answer({ calculations: [limitation('2026-06-15')] })
  expect(rows.对请求的意见).toContain('审查其举证')
  expect(rows).not.toHaveProperty('诉讼时效期间届满')
  expect(rows).not.toHaveProperty('已经偿还')
})
