import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildArticleIndex } from '../bench/search/article-index.ts'
import { splitFolds } from '../bench/search/folds.ts'
import { readLawsInForce } from '../bench/search/laws-in-force.ts'
import { learnLayWords } from '../bench/search/learn.ts'
import { inverse, ridge } from '../bench/search/learn-ridge.ts'
import { readStatutes } from '../bench/search/statutes.ts'
import {
  type LayWord,
  predict,
  queryFeatures,
} from '../services/knowledge/search/query/lay-words.ts'

const number = fc.integer({ min: -5, max: 5 })
const rows = fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c'), number), {
  minLength: 1,
  maxLength: 6,
})

describe('ridge regression', () => {
  test('inverts the regularized Gram matrix', () => {
    fc.assert(
      fc.property(rows, (input) => {
        const sparse = input.map((row) => new Map(Object.entries(row)))
        const product = (a: Map<string, number>, b: Map<string, number>) =>
          [...a].reduce((sum, [name, value]) => sum + value * (b.get(name) ?? 0), 0)
        const matrix = sparse.map((a, i) =>
          Float64Array.from(sparse, (b, j) => product(a, b) + (i === j ? 1 : 0)),
        )
        const weights = ridge(sparse, 1)
        expect(weights).toEqual(inverse(matrix))
        matrix.forEach((row, i) => {
          matrix.forEach((_, j) => {
            const sum = row.reduce((sum, value, k) => sum + value * weights[k]![j]!, 0)
            expect(sum).toBeCloseTo(i === j ? 1 : 0, 6)
          })
        })
      }),
    )
  })
})

describe('lay words', () => {
  const articles = [
    { id: '1', law: '劳动法', article: '第一条', text: '用人单位应当支付报酬' },
    { id: '2', law: '劳动法', article: '第二条', text: '用人单位不得拖欠' },
    { id: '3', law: '交通法', article: '第一条', text: '车辆应当停下' },
  ]
  const questions = [
    { query: '老板欠钱', relevant: ['1', '2'] },
    { query: '老板跑了', relevant: ['2'] },
    { query: '开车撞人', relevant: ['3'] },
  ]
  const table = learnLayWords(buildArticleIndex(articles), questions, { minQuestions: 1 })
  const predictQuery = (query: string) => predict(queryFeatures(query), table)

  test('map words of a question to words of its articles and to their law', () => {
    const targets = predictQuery('老板').words.map(({ target }) => target)
    expect(targets).toContain('拖欠')
    expect(targets.slice(0, targets.indexOf('拖欠'))).not.toContain('车辆')
    const boss = table.find(({ word }) => word === '老板')!
    expect(Object.keys(boss.laws)).toEqual(['劳动法'])
    expect(Object.keys(boss.articles.劳动法!)[0]).toBe('2')
    expect(boss.articles.交通法).toBeUndefined()
  })

  test('weigh words less that already match articles that are no answer', () => {
    const learnWith = (text: string) => {
      const texts = buildArticleIndex([
        ...articles,
        { id: '4', law: '银行法', article: '第一条', text },
      ])
      const { words } = learnLayWords(texts, questions, { minQuestions: 1 }).find(
        ({ word }) => word === '欠钱',
      )!
      return { found: texts.search('老板欠钱').map(({ id }) => id), words }
    }
    const [learned, unlearned] = [learnWith('老板支付报酬'), learnWith('经理支付报酬')]
    expect([learned.found, unlearned.found]).toEqual([['4'], []])
    expect(learned.words.报酬 ?? 0).toBeLessThan(unlearned.words.报酬!)
    expect(learned.words.拖欠).toBe(unlearned.words.拖欠)
    expect(learned.words.银行).toBeUndefined()
  })

  test('contain no question and only words of articles', () => {
    const text = articles.map((each) => each.law + each.text).join(' ')
    for (const { word, words } of table) {
      expect(word.length).toBeLessThan(3)
      for (const target of Object.keys(words)) expect(text).toContain(target)
    }
  })

  test('a word of one question only is not learned', () => {
    const words = learnLayWords(buildArticleIndex(articles), questions).map(({ word }) => word)
    expect(words.filter(Boolean).sort()).toEqual(['板', '老', '老板'])
  })

  test('articles of a law out of force are not learned', () => {
    const table = learnLayWords(buildArticleIndex(articles), questions, {
      isInForce: (law) => law !== '交通法',
      minQuestions: 1,
    })
    const laws = new Set(
      table.flatMap(({ laws, articles }) => Object.keys({ ...laws, ...articles })),
    )
    expect([...laws]).toEqual(['劳动法'])
  })

  test('the intercept has no words', () => {
    expect(table.find(({ word }) => word === '')?.words).toEqual({})
  })
})

describe('the bundled lay words', () => {
  const { lay_words } = JSON.parse(
    readFileSync('seed_packages/knowledge_lay_words/data/lay_words.json', 'utf8'),
  ) as { lay_words: LayWord[] }

  test('name laws in force only', ({ skip }) => {
    const isInForce = readLawsInForce()
    if (typeof isInForce === 'string') return skip(isInForce)
    const laws = new Set(
      lay_words.flatMap(({ laws, articles }) => Object.keys({ ...laws, ...articles })),
    )
    expect([...laws].filter((law) => !isInForce(law))).toEqual([])
    expect(laws.size).toBeGreaterThan(50)
  })

  test('hold no word that occurs in a single question, and no words of the intercept', ({
    skip,
  }) => {
    const corpus = readStatutes()
    if (typeof corpus === 'string') return skip(corpus)
    const counts = new Map<string, number>()
    for (const { query } of corpus.questions) {
      for (const word of queryFeatures(query).keys()) counts.set(word, (counts.get(word) ?? 0) + 1)
    }
    expect(lay_words.filter(({ word }) => counts.get(word) === 1)).toEqual([])
    expect(Object.keys(lay_words.find(({ word }) => word === '')?.words ?? {})).toEqual([])
  })
})

test('cross-validation tests every question once and never trains on a test question', () => {
  const all = Array.from({ length: 23 }, (_, index) => index)
  const folds = splitFolds(all, 5)
  expect(folds.flatMap(({ test }) => test).sort((a, b) => a - b)).toEqual(all)
  for (const { train, test } of folds) {
    expect([...train, ...test].sort((a, b) => a - b)).toEqual(all)
  }
})
