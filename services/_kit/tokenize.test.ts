import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arabic, queryTokens, tokenize } from './tokenize.ts'

describe('tokenize', () => {
  const cases: [string, string, string[]][] = [
    [
      'Han text as characters and pairs',
      '借款本金',
      ['借', '款', '借款', '本', '款本', '金', '本金'],
    ],
    ['a single Han character', '王', ['王']],
    [
      'English words in lower case',
      'The Client prefers E-mail',
      ['the', 'client', 'prefer', 'e', 'mail'],
    ],
    [
      'plurals and possessives as one form',
      "parties party's companies boxes",
      ['party', 'party', 'company', 'box'],
    ],
    ['a typographic apostrophe like a plain one', 'the client’s', ['the', 'client']],
    [
      'words that only look like plurals',
      'status basis loss gas',
      ['status', 'basis', 'loss', 'gas'],
    ],
    [
      'Latin letters beside Han text apart from it',
      'A公司iPhone',
      ['a', '公', '司', '公司', 'iphone'],
    ],
    [
      'a number with thousands separators as without',
      '100,000 1,234,567.89',
      ['100000', '1234567.89'],
    ],
    ['a list of numbers as several', '2021,2022 1,2', ['2021', '2022', '1', '2']],
    ['full-width forms like the usual ones', 'ＡＢＣ　１２３', ['abc', '123']],
    ['words of other scripts', 'договор über', ['договор', 'über']],
    ['nothing in emoji and punctuation', '👩‍⚖️ ❤️ …!? ——', []],
    ['nothing in nothing', '', []],
  ]
  test.each(cases)('tokenize finds %s', (_, text, expected) => {
    expect(tokenize(text)).toEqual(expected)
  })

  test('a case number is one token besides its parts, with any kind of brackets', () => {
    const number = '(2021)京01民终1234号'
    expect(tokenize(number)).toEqual(
      expect.arrayContaining([number, '2021', '京', '01', '民终', '1234', '号']),
    )
    for (const form of [
      '（2021）京01民终1234号',
      '（２０２１）京０１民终１２３４号',
      '(2021) 京01民终1234号',
    ]) {
      expect(tokenize(`见${form}判决`)).toContain(number)
    }
    expect(tokenize('(2021)京01民终12345号')).not.toContain(number)
  })

  test('an article number gives the same token in any numerals', () => {
    for (const form of ['第六百七十五条', '第675条', '第６７５条', '第六七五条']) {
      expect(tokenize(`依据${form}之规定`)).toContain('第675条')
    }
    expect(tokenize('第一千二百六十条')).toContain('第1260条')
    expect(tokenize('第十条')).toContain('第10条')
    expect(tokenize('第条')).toEqual(['第', '条', '第条'])
  })

  test('tokens are never empty and equal for equal text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const found = tokenize(text)
        expect(found).not.toContain('')
        expect(tokenize(text)).toEqual(found)
      }),
    )
  })

  test('full-width and upper-case text give the same tokens as plain text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9 ]{0,30}$/), (text) => {
        const wide = text.replace(/\S/g, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0))
        expect(tokenize(wide)).toEqual(tokenize(text))
        expect(tokenize(text.toUpperCase())).toEqual(tokenize(text))
      }),
    )
  })

  test('the number of tokens is exact for long and adversarial text', () => {
    const n = 200_000
    expect(tokenize('合'.repeat(n))).toHaveLength(2 * n - 1)
    expect(tokenize('a '.repeat(n))).toHaveLength(n)
    expect(tokenize('1'.repeat(n))).toHaveLength(1)
    expect(tokenize(`(2021)${'1'.repeat(n)}`)).toHaveLength(2)
    expect(tokenize('(2021)京'.repeat(n))).toHaveLength(2 * n)
    expect(tokenize('第'.repeat(n))).toHaveLength(2 * n - 1)
    expect(tokenize('1,'.repeat(n))).toHaveLength(n)
    expect(tokenize('1,000'.repeat(n / 10))).not.toHaveLength(0)
    expect(tokenize("a'".repeat(n))).toHaveLength(1)
  })
})

describe('query tokens', () => {
  test('query tokens are distinct bigrams, or unigrams if there are none', () => {
    expect(queryTokens('借款借款')).toEqual(['借款', '款借'])
    expect(queryTokens('王 contract')).toEqual(['contract'])
    expect(queryTokens('王')).toEqual(['王'])
    expect(queryTokens('𠮷 contract')).toEqual(['contract'])
    expect(queryTokens('…')).toEqual([])
  })

  test('query tokens are a subset of the tokens of the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const all = new Set(tokenize(text))
        for (const word of queryTokens(text)) expect(all).toContain(word)
      }),
    )
  })
})

test('Chinese numerals below ten thousand are parsed', () => {
  const digits = '零一二三四五六七八九'
  const chinese = (n: number): string => {
    const [thousand, hundred, ten, one] = [n / 1000, (n / 100) % 10, (n / 10) % 10, n % 10].map(
      Math.floor,
    ) as [number, number, number, number]
    let text = thousand ? `${digits[thousand]}千` : ''
    if (hundred) text += `${digits[hundred]}百`
    else if (text && (ten || one)) text += '零'
    if (ten) text += `${digits[ten]}十`
    else if (text && one && hundred) text += '零'
    return text + (one ? digits[one] : '')
  }
  for (let n = 1; n < 10_000; n++) expect(arabic(chinese(n))).toBe(n)
  expect(arabic('〇')).toBe(0)
  expect(arabic('合同')).toBeNull()
})
