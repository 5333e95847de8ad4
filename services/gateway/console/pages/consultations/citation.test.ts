import { expect, test } from 'vitest'
import { type Citation, citationState, findQuote } from './citation.ts'

const article = '借款人应当按照约定的期限返还借款。对借款期限没有约定的，贷款人可以催告。'

test('the longest passage that an answer repeats is the quote', () => {
  expect(findQuote(article, '依法，借款人应当按照约定的期限返还借款，否则违约。')).toBe(
    '借款人应当按照约定的期限返还借款',
  )
})

test('the number of the article is no quote', () => {
  const text = `第六百七十五条 ${article}`
  expect(findQuote(text, '《民法典》第六百七十五条')).toBe('')
})

test('a few common characters are no quote', () => {
  expect(findQuote(article, '借款人没有还钱')).toBe('')
})

test('an article is verified in force, outdated in an earlier edition, and missing without one', () => {
  const citation = { law: '民法典', article: '675', content: null, start: 0, end: 0 }
  const edition = { effective_from: '2021-01-01', effective_to: null }
  const stateOf = (changes: Pick<Citation, 'found' | 'in_force' | 'edition'>) =>
    citationState({ ...citation, ...changes })
  expect(stateOf({ found: true, in_force: true, edition })).toBe('verified')
  expect(stateOf({ found: false, in_force: false, edition })).toBe('outdated')
  expect(stateOf({ found: false, in_force: false, edition: null })).toBe('missing')
})
