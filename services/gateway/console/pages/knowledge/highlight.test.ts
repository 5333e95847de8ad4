import { expect, test } from 'vitest'
import { highlight } from './highlight.ts'

const marked = (text: string, query: string) =>
  highlight(text, query)
    .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
    .join('')

test('words of the query are marked wherever they stand', () => {
  expect(marked('借款人应当返还借款。', '借款')).toBe('[借款]人应当返还[借款]。')
  expect(marked('The Loan is due.', 'loan due')).toBe('The [Loan] is [due].')
})

test('a run of Han that the text lacks is marked by its pairs, neighbours as one', () => {
  expect(marked('拖欠的劳动报酬', '拖欠劳动报酬')).toBe('[拖欠]的[劳动报酬]')
})

test('a query without words or with characters of patterns marks nothing', () => {
  expect(marked('a.b', '.*(')).toBe('a.b')
})
