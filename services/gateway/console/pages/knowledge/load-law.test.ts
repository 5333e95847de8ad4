import { expect, test } from 'vitest'
import { type Article, buildSections, pairArticles } from './load-law.ts'

const article = (number: number, path: string[], content = `text ${number}`): Article => ({
  number,
  path,
  name: `第${number}条`,
  content,
})

test('articles form a tree of their sections in the order of the law', () => {
  const tree = buildSections([
    article(1, ['第一编', '第一章']),
    article(2, ['第一编', '第二章']),
    article(3, ['第一编', '第一章']),
    article(4, []),
  ])
  expect(tree.articles.map(({ number }) => number)).toEqual([4])
  const [part] = tree.sections
  expect(part!.sections.map(({ title }) => title)).toEqual(['第一章', '第二章'])
  expect(part!.sections[0]!.articles.map(({ number }) => number)).toEqual([1, 3])
})

test('two editions are compared article by article, new and repealed ones included', () => {
  const pairs = pairArticles(
    [article(1, [], 'same'), article(2, [], 'old'), article(4, [])],
    [article(1, [], 'same'), article(2, [], 'new'), article(3, [])],
  )
  expect(pairs.map(({ number, differs }) => [number, differs])).toEqual([
    [1, false],
    [2, true],
    [3, true],
    [4, true],
  ])
  expect(pairs[2]!.left).toBeUndefined()
  expect(pairs[3]!.right).toBeUndefined()
})
