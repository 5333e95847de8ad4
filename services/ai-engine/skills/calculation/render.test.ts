import { expect, test } from 'vitest'
import { renderCalculations } from './render.ts'

test('figures are named in the language of the person', () => {
  const calculation = {
    calculator: 'loan_interest',
    title: { zh: '民间借贷利息', en: 'Interest' },
    result: { interest: 21_287.67, principal_due: 100_000, cap_rate: 14.6, segments: [] },
  }
  const result = { calculations: [calculation], claims: [], skipped: [] }
  const render = (language: 'zh' | 'en') =>
    renderCalculations(result as unknown as Parameters<typeof renderCalculations>[0], language)
  expect(render('zh')).not.toMatch(/[a-z]/)
  expect(render('zh')).toContain('- 民间借贷利息：利息 21,287.67，应还本金 100,000，')
  expect(render('en')).toContain('- Interest: interest 21,287.67, principal due 100,000, ')
})
