import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arabic } from '../../_kit/tokenize.ts'
import { citationsIn } from './citations.ts'
import { articleKey, lawKey, lawKeys } from './numerals.ts'
import { extractParagraph } from './paragraph.ts'

const digits = '零一二三四五六七八九'
const units = ['', '十', '百', '千']

/** 675 → 六百七十五; from 0 to 9999. */
function chinese(value: number): string {
  if (value === 0) return '零'
  let text = ''
  let gap = false
  for (let place = 3; place >= 0; place--) {
    const digit = Math.floor(value / 10 ** place) % 10
    if (digit === 0) {
      gap = text !== ''
      continue
    }
    // 10 to 19 are written without a leading 一.
    const one = digit === 1 && place === 1 && text === ''
    text += `${gap ? '零' : ''}${one ? '' : digits[digit]}${units[place]}`
    gap = false
  }
  return text
}

describe('numerals', () => {
  test('numbers converted to Chinese numerals and back are unchanged', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 9999 }), (n) => arabic(chinese(n)) === n))
    expect([10, 12, 101, 110, 675, 1001, 1010, 1260].map(chinese)).toEqual([
      ...[
        '十',
        '十二',
        '一百零一',
        '一百一十',
        '六百七十五',
        '一千零一',
        '一千零一十',
        '一千二百六十',
      ],
    ])
  })

  test('all notations of an article have the same key', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 20 }), (n, sub) => {
        const ways = [
          `第${chinese(n)}条`,
          `第${n}条`,
          `第 ${n} 条`,
          `Art. ${n}`,
          `Article ${n}`,
          `§ ${n}`,
          `${n}`,
        ]
        for (const way of ways) expect(articleKey(way)).toBe(String(n))
        for (const way of [`第${chinese(n)}条之${chinese(sub)}`, `Art. ${n}-${sub}`]) {
          expect(articleKey(way)).toBe(`${n}-${sub}`)
        }
      }),
    )
    for (const none of ['', '条', 'Chapter 1', '第条', '总则']) expect(articleKey(none)).toBeNull()
  })

  test('the full and short names of a law have the same key', () => {
    for (const name of ['《中华人民共和国刑法》', '刑法', ' 中华人民共和国刑法（2020修正）']) {
      expect(lawKey(name)).toBe('刑法')
    }
    expect(lawKeys('关于适用〈甲法〉的解释（一）')[1]).toBe(
      lawKeys('最高人民法院关于适用《中华人民共和国甲法》的解释（一）')[1],
    )
    expect(lawKey("The Civil Code of the People's Republic of China")).toBe('civil code')
  })
})

describe('citations in a text', () => {
  const brief = (text: string) => citationsIn(text).map(({ law, article }) => `${law}|${article}`)

  test('quoted, unquoted and consecutive Chinese citations are found', () => {
    expect(brief('根据《甲法》（2018年修正）第十条、第十一条之一和第12条第二款第（三）项')).toEqual(
      ['甲法|第十条', '甲法|第十一条之一', '甲法|第12条'],
    )
    expect(brief('违反刑法第二百三十四条的规定，依照劳动合同法第30条')).toEqual([
      '刑法|第二百三十四条',
      '劳动合同法|第30条',
    ])
    expect(brief('本合同第五条另有约定')).toEqual([])
    expect(brief('《甲纠纷解释》（一）第二条与乙纠纷解释（二）第三条、第四条')).toEqual([
      '甲纠纷解释（一）|第二条',
      '乙纠纷解释（二）|第三条',
      '乙纠纷解释（二）|第四条',
    ])
    expect(brief('《关于适用《甲法》若干问题的解释（一）》第五条')).toEqual([
      '关于适用《甲法》若干问题的解释（一）|第五条',
    ])
  })

  test('English citations are found', () => {
    const text = 'Article 12 of the Civil Code and the Labour Act, Art. 3; § 5 of the Trade Law.'
    expect(brief(text)).toEqual(['Civil Code|12', 'Labour Act|3', 'Trade Law|5'])
  })

  test.each([
    ['中华人民共和国刑法第二百三十四条', ['中华人民共和国刑法|第二百三十四条']],
    [
      '依最高人民法院关于审理样例案件适用法律若干问题的规定第二十五条',
      ['最高人民法院关于审理样例案件适用法律若干问题的规定|第二十五条'],
    ],
    [
      '最高人民法院关于适用《中华人民共和国样例法》婚姻编的解释（一）第四十九条',
      ['最高人民法院关于适用《中华人民共和国样例法》婚姻编的解释（一）|第四十九条'],
    ],
    ['《民法典》合同编第十条和《甲法》第三章第八条', ['民法典|第十条', '甲法|第八条']],
    ['《甲法》第十条至第十二条', ['甲法|第十条', '甲法|第十二条']],
    ['《甲法》第十、十一条第二款', ['甲法|第十条', '甲法|第十一条']],
    ['《甲法》第十至十二条之一', ['甲法|第十条', '甲法|第十二条之一']],
    ['《甲法》第６７５条、第 12 条', ['甲法|第675条', '甲法|第12条']],
    ['《甲法》第四条；依照该法第五条，同法第六条', ['甲法|第四条', '甲法|第五条', '甲法|第六条']],
    ['该法第五条', []],
    ['合同法第五条，基本法第六条', ['合同法|第五条', '基本法|第六条']],
    ['Articles 12 and 13 of the Civil Code', ['Civil Code|12', 'Civil Code|13']],
  ])('the articles of %s are found', (text, expected) => {
    expect(brief(text)).toEqual(expected)
  })

  test('each article of a list has its own place in the text', () => {
    const text = '见《甲法》第十、十一条第二款至第十三条'
    expect(citationsIn(text).map(({ start, end }) => text.slice(start, end))).toEqual([
      '《甲法》第十',
      '十一条第二款',
      '第十三条',
    ])
  })

  test('a name without quotation marks keeps its readings', () => {
    const [found] = citationsIn('原告见义勇为条例第三条')
    expect(found!.readings!.map(({ law }) => law)).toEqual(['原告见义勇为条例', '义勇为条例'])
    expect(citationsIn('新加坡公司法第三条')[0]!.readings).toBeUndefined()
  })

  test('a citation has its text offsets, paragraph and item', () => {
    const text = '见《甲法》第十条第二款第三项。'
    const [found] = citationsIn(text)
    expect(found).toMatchObject({ paragraph: 2, item: 3 })
    expect(text.slice(found!.start, found!.end)).toBe('《甲法》第十条第二款第三项')
  })

  test('arbitrary text never throws, and its citations do not overlap', () => {
    const piece = fc.constantFrom(
      ...'《》第条之款项一十百法典、和至该的１Art. of 12 Code（）'.split(''),
    )
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 200 }), (text) => {
        let end = 0
        for (const each of citationsIn(text)) {
          expect(each.start).toBeGreaterThanOrEqual(end)
          expect(each.end).toBeGreaterThan(each.start)
          end = each.end
        }
      }),
    )
  })
})

describe('extractParagraph', () => {
  const text = '第一条 甲：\n（一）子；\n（二）丑。\n乙。'

  test('items belong to the paragraph before them', () => {
    expect(extractParagraph(text, 1, null)).toBe('第一条 甲：\n（一）子；\n（二）丑。')
    expect(extractParagraph(text, 2, null)).toBe('乙。')
    expect(extractParagraph(text, 1, 2)).toBe('（二）丑。')
    expect(extractParagraph(text, null, 1)).toBe('（一）子；')
    expect(extractParagraph(text, 3, null)).toBeNull()
    expect(extractParagraph(text, 1, 3)).toBeNull()
  })

  test('any paragraph of a single-line article is the whole text', () => {
    expect(extractParagraph('甲。乙。', 2, null)).toBe('甲。乙。')
  })
})
