import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type LayWord, predict, queryFeatures } from './lay-words.ts'
import { priorBoost } from './priors.ts'

type Weights = Record<string, number>
const layWord = (word: string, words: Weights, laws: Weights = {}): LayWord => ({
  ...{ word, words, laws, articles: { law: words } },
})

describe('queryFeatures', () => {
  test('feature weights of a query have the same norm for every query length', () => {
    const long = fc.stringMatching(/^[一-鿿]{1,60}$/)
    fc.assert(
      fc.property(long, (query) => {
        const shares = [...queryFeatures(query)].filter(([word]) => word !== '')
        expect(Math.hypot(...shares.map(([, share]) => share))).toBeCloseTo(0.25)
        expect(Math.min(...shares.map(([, share]) => share))).toBeGreaterThan(0)
      }),
    )
  })

  test('features are Han unigrams and bigrams, words of other scripts and the empty token', () => {
    expect([...queryFeatures('老板 boss').keys()].sort()).toEqual(['', 'boss', '板', '老', '老板'])
    expect([...queryFeatures('？！')]).toEqual([['', 0.5]])
  })
})

describe('predict', () => {
  const shares = new Map([
    ['a', 0.5],
    ['b', 0.25],
  ])

  test('predictions are weighted sums over the query features, and only positive ones are kept', () => {
    const layWords = [
      layWord('a', { x: 1, y: 1, z: -2 }, { law: 0.07, other: -1 }),
      layWord('b', { x: 2, y: -4, z: 1 }, { law: -0.07 }),
      layWord('c', { unasked: 9 }, { unasked: 1 }),
    ]
    const { words, priors: laws } = predict(shares, layWords)
    expect(words).toEqual([{ target: 'x', weight: 1 }])
    expect(laws.get('law')!.prior).toBeCloseTo(Math.sqrt(0.25))
    expect(laws.get('law')!.articles.get('x')).toBe(1)
    expect(laws.get('other')!.prior).toBe(0)
  })

  test('the prior is highest for the predicted article, lower for its neighbours and positive for the law', () => {
    const articles = { law: { 40: 0.1, 'no number': 0.1 } }
    const { priors: laws } = predict(shares, [
      { word: 'a', words: {}, laws: { law: 0.01 }, articles },
    ])
    const boostFor = (article: string | null) => priorBoost(laws.get('law'), article)
    const numbers = ['40', '41', '45', '60', '90']
    expect(numbers.map(boostFor)).toEqual(numbers.map(boostFor).toSorted((a, b) => b - a))
    expect(new Set(numbers.slice(0, 4).map(boostFor)).size).toBe(4)
    expect(boostFor('39')).toBe(boostFor('41'))
    expect(boostFor('41-1')).toBe(boostFor('41'))
    expect(boostFor('90')).toBe(boostFor(null))
    expect(boostFor(null)).toBeGreaterThan(0)
    expect(priorBoost(laws.get('other'), '40')).toBe(0)
  })

  test('predictions do not depend on the order of the lay words', () => {
    const weights = fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.integer({ min: -8, max: 8 }))
    const both = fc.tuple(weights, weights)
    fc.assert(
      fc.property(both, both, (a, b) => {
        const one = [layWord('a', ...a), layWord('b', ...b)]
        expect(predict(shares, one)).toEqual(predict(shares, one.toReversed()))
        for (const { prior: fit } of predict(shares, one).priors.values()) {
          expect(fit >= 0 && fit <= 1).toBe(true)
        }
      }),
    )
  })
})
