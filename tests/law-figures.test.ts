import { describe, expect, test } from 'vitest'
import { checkedOn, inForceOn, loadDatabase, loadExcerpt } from './support/law/editions.ts'
import { figureFaults, type Statement } from './support/law/figure-faults.ts'
import { figuresIn } from './support/law/figures.ts'
import { statementsInSeeds } from './support/law/statements.ts'

const excerpt = loadExcerpt()
const statements = statementsInSeeds()
const plant = (words: string, law: string, article: string): Statement => ({
  where: 'record',
  words: [words],
  cited: [{ where: 'record', laws: [law], article }],
})

describe('figures', () => {
  test.each([
    ['三年，最长二十年', ['20 年', '3 年']],
    ['百分之二十至三十，一般不超过50%', ['20 %', '30 %', '50 %']],
    ['加计30—50%', ['30 %', '50 %']],
    ['一倍以上五倍以下，五百元以上五百万元以下', ['1 倍', '5 倍', '500 元', '5000000 元']],
    ['十五日内、6个月、七十五周岁以上、48小时', ['15 日', '48 小时', '6 个月', '75 周岁']],
    ['第三条、2024年12月31日、2020-08-20、百分之三十一般可认定', ['30 %']],
  ])('of %s are read', (text, figures) => {
    expect([...figuresIn(text)].sort()).toEqual(figures.sort())
  })
})

describe(`on ${checkedOn}`, () => {
  test('every figure of seeds and digests stands in an article that is cited for it', () => {
    expect(figureFaults(statements, (law) => inForceOn(excerpt, law, checkedOn))).toEqual([])
  })

  test('the statements of all records and digests are checked', () => {
    const withFigures = statements.filter(({ words }) => figuresIn(words.join('\n')).size > 0)
    expect(withFigures.length).toBeGreaterThan(200)
  })

  const database = loadDatabase()
  const missing = typeof database === 'string' ? database : null
  if (missing) console.log(`skipped, the figures against the database: ${missing}`)

  test.skipIf(missing)('every figure stands in the article of the database', () => {
    if (typeof database === 'string') return
    expect(figureFaults(statements, (law) => inForceOn(database, law, checkedOn))).toEqual([])
  })
})

describe('a planted figure is caught:', () => {
  test.each([
    ['a wrong period', '诉讼时效期间为二年', '民法典', '第一百八十八条', '2 年'],
    ['a wrong share', '定金不得超过百分之三十', '民法典', '第五百八十六条', '30 %'],
    ['the period of another article', '六个月内行使', '民法典', '第一百九十九条', '6 个月'],
  ])('%s', (_, words, law, article, figure) => {
    const faults = figureFaults([plant(words, law, article)], (title) =>
      inForceOn(excerpt, title, checkedOn),
    )
    expect(faults).toEqual([{ where: 'record', figure }])
  })

  test('and the right one is not', () => {
    const right = plant('诉讼时效期间为3年', '民法典', '第一百八十八条')
    expect(figureFaults([right], (law) => inForceOn(excerpt, law, checkedOn))).toEqual([])
  })
})
