import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildArticleIndex } from '../bench/search/article-index.ts'
import { splitFolds } from '../bench/search/folds.ts'
import { articleId, readArticlesInForce } from '../bench/search/laws-in-force.ts'
import { learnLayWords, makeLearner } from '../bench/search/learn.ts'
import type { Example } from '../bench/search/learn-features.ts'
import { inverse, ridge, withoutRows } from '../bench/search/learn-ridge.ts'
import { readTraining, toArticlesInForce } from '../bench/search/training.ts'
import { shortLawKey } from '../services/knowledge/law/numerals.ts'
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
        const weights = ridge(
          sparse,
          sparse.map(() => 1),
        )
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

test('leaving rows out of a ridge regression gives the regression without them', () => {
  fc.assert(
    fc.property(rows, fc.nat(), (input, seed) => {
      const sparse = input.map((row) => new Map(Object.entries(row)))
      const ones = (list: readonly unknown[]) => list.map(() => 1)
      const excluded = [...sparse.keys()].filter((index) => (seed >> index) % 2 === 1)
      const kept = [...sparse.keys()].filter((index) => !excluded.includes(index))
      const rest = kept.map((index) => sparse[index]!)
      const expected = ridge(rest, ones(rest))
      const result = withoutRows(ridge(sparse, ones(sparse)), excluded)
      for (const index of excluded) expect(result[index]!.every((value) => value === 0)).toBe(true)
      kept.forEach((row, i) => {
        kept.forEach((column, j) => {
          expect(result[row]![column]).toBeCloseTo(expected[i]![j]!, 6)
        })
      })
    }),
  )
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

  test('a word of one question only is not learned, even if other texts have it', () => {
    const learn = (more: Example[]) =>
      learnLayWords(buildArticleIndex(articles), [...questions, ...more], { minTexts: 2 })
        .map(({ word }) => word)
        .filter(Boolean)
        .sort()
    expect(learn([])).toEqual(['板', '老', '老板'])
    const text = { query: '老板跑了，无人停车', relevant: ['2'] }
    expect(learn([{ ...text, kind: 'seed' }])).toEqual(['板', '老', '老板'])
    const words = learn([
      { ...text, kind: 'seed' },
      { ...text, kind: 'citation' },
    ])
    expect(words).toContain('停车')
    expect(words).not.toContain('跑了')
    const unanswered = { query: '怎么停车', relevant: [] }
    expect(
      learn([{ ...text, kind: 'seed' }, { ...text, kind: 'citation' }, unanswered]),
    ).not.toContain('停车')
  })

  test('an excluded question is not learned', () => {
    const learner = makeLearner(buildArticleIndex(articles), questions, { minQuestions: 1 })
    const words = learner.learn(new Set([questions[2]!])).map(({ word }) => word)
    expect(words).toContain('老板')
    expect(words).not.toContain('开车')
  })

  test('a text of a seed weighs less than a question', () => {
    const pay = (kind: Example['kind'] & string) =>
      learnLayWords(
        buildArticleIndex(articles),
        [...questions, { query: '没有发工资', relevant: ['1'], kind }],
        { minQuestions: 1, minTexts: 1 },
      ).find(({ word }) => word === '工资')!.laws.劳动法!
    expect(pay('seed')).toBeLessThan(pay('question'))
    expect(pay('citation')).toBeLessThan(pay('seed'))
  })

  test('a question without an article in force is not learned', () => {
    const table = learnLayWords(
      buildArticleIndex(articles),
      questions.map((each) => (each.relevant.includes('3') ? { ...each, relevant: [] } : each)),
      { minQuestions: 1 },
    )
    const laws = new Set(
      table.flatMap(({ laws, articles }) => Object.keys({ ...laws, ...articles })),
    )
    expect([...laws]).toEqual(['劳动法'])
    expect(table.map(({ word }) => word)).not.toContain('开车')
  })

  test('the intercept has no words', () => {
    expect(table.find(({ word }) => word === '')?.words).toEqual({})
  })
})

describe('questions about older editions', () => {
  const inForce = [
    {
      id: '民法典 1',
      law: '民法典',
      article: '第一条',
      text: '借款人应当按照约定的期限返还借款。',
    },
    { id: '民法典 2', law: '民法典', article: '第二条', text: '出租人应当将租赁物交付承租人。' },
  ]
  const toInForce = (law: string, text: string) =>
    toArticlesInForce(
      {
        articles: [{ id: 'old', law, article: '第九条', text }],
        questions: [{ query: '?', relevant: ['old'] }],
      },
      inForce,
    )[0]!.relevant

  test('name the article in force with the same text, whatever its number is', () => {
    const text = '第九条 借款人应当按照约定的期限返还借款。'
    expect(toInForce('中华人民共和国民法典', text)).toEqual(['民法典 1'])
  })

  test('name no article if the law is not in force or has no such article', () => {
    expect(toInForce('合同法', '借款人应当按照约定的期限返还借款。')).toEqual([])
    expect(toInForce('民法典', '承运人应当将旅客安全运输到约定地点。')).toEqual([])
  })
})

describe('the bundled lay words', () => {
  const { lay_words } = JSON.parse(
    readFileSync('seed_packages/knowledge_lay_words/data/lay_words.json', 'utf8'),
  ) as { lay_words: LayWord[] }

  test('name laws and articles in force only', ({ skip }) => {
    const articles = readArticlesInForce()
    if (typeof articles === 'string') return skip(articles)
    const laws = new Set(articles.map(({ law }) => law))
    const ids = new Set(articles.map(({ id }) => id))
    const named = new Set(
      lay_words.flatMap(({ laws, articles }) => Object.keys({ ...laws, ...articles })),
    )
    expect([...named].filter((law) => !laws.has(shortLawKey(law)))).toEqual([])
    expect(named.size).toBeGreaterThan(50)
    const cited = lay_words.flatMap(({ articles }) =>
      Object.entries(articles).flatMap(([law, own]) =>
        Object.keys(own).map((article) => articleId(law, article)),
      ),
    )
    expect(cited.filter((id) => !ids.has(id))).toEqual([])
  })

  test('hold no word that occurs in a single question, and no words of the intercept', ({
    skip,
  }) => {
    const training = readTraining()
    if (typeof training === 'string') return skip(training)
    const counts = new Map<string, number>()
    for (const { query } of [...training.lay, ...training.basis]) {
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
