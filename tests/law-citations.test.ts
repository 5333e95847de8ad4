import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { citedIn } from './support/law/cited.ts'
import { citedInCode } from './support/law/code.ts'
import { checkedOn, excerptFile, loadDatabase, loadExcerpt } from './support/law/editions.ts'
import { excerptFor } from './support/law/excerpt.ts'
import { formerLaws } from './support/law/names.ts'
import { listTitles, loadProfiles } from './support/law/profiles.ts'
import { findFaults } from './support/law/resolve.ts'
import { citedInMarkdown, citedInProject, citedInRecord } from './support/law/sources.ts'

const excerpt = loadExcerpt()
const cited = citedInProject()
const lending = '最高人民法院关于审理民间借贷案件适用法律若干问题的规定'
const labor = (number: string) => `最高人民法院关于审理劳动争议案件适用法律问题的解释（${number}）`

describe(`on ${checkedOn}`, () => {
  test('every citation of seeds, rules, skills and templates stands in the edition in force', () => {
    const hint = 'After a new citation, run: node tests/write-law-excerpt.ts'
    expect(findFaults(cited, excerpt, checkedOn), hint).toEqual([])
  })

  test('the citations of all sources are counted', () => {
    const count = (path: RegExp) => cited.filter(({ where }) => path.test(where)).length
    expect(count(/structured_seeds\/data\/litigation/)).toBeGreaterThan(850)
    expect(count(/structured_seeds\/data\/profiles/)).toBeGreaterThan(150)
    expect(count(/structured_seeds\/data\/checklists/)).toBeGreaterThan(50)
    expect(count(/system_resources\/data\/.*\.md$/)).toBeGreaterThan(900)
    expect(count(/ai-engine\/calculators/)).toBeGreaterThan(100)
    expect(cited.filter(({ quote }) => quote).length).toBeGreaterThan(1_100)
  })
})

describe('the national database', () => {
  const database = loadDatabase()
  const missing = typeof database === 'string' ? database : null
  if (missing) console.log(`skipped, the excerpt against the database: ${missing}`)

  test.skipIf(missing)('holds the excerpt as it is committed', () => {
    if (typeof database === 'string') return
    const titles = [...formerLaws, ...loadProfiles().flatMap(listTitles)]
    const excerpt = excerptFor(cited, titles, database, checkedOn)
    expect(readFileSync(excerptFile, 'utf8')).toBe(excerpt)
  })

  test.skipIf(missing)('bears out every citation', () => {
    if (typeof database === 'string') return
    expect(findFaults(cited, database, checkedOn)).toEqual([])
  })
})

describe('a planted fault is caught:', () => {
  const basis = (law: string, article: string, quote: string) =>
    citedInRecord({ legal_basis: [{ law, article, quote }] }, 'record')
  const text = (words: string) => citedIn(words, 'text', [])

  test.each([
    ['an article that the law does not have', text('《民法典》第一千三百条'), 'no such article'],
    ['a law that there is not', text('《借钱法》第一条'), 'no such law'],
    ['a repealed law', text('依照《合同法》第五十二条'), 'not in force'],
    [
      'a law amended under another title',
      citedInMarkdown(
        '见《最高人民法院关于限制被执行人高消费的若干规定》第一条。',
        'md',
        undefined,
      ),
      'not in force',
    ],
    [
      'an altered quote',
      basis('民法典', '第一百八十八条', '诉讼时效期间为二年'),
      'not what it says',
    ],
    [
      'an altered quote in Markdown',
      citedInMarkdown('《民法典》第一百八十八条：“诉讼时效期间为二年”', 'md', undefined),
      'not what it says',
    ],
    [
      'the number of an outdated edition',
      basis(lending, '第二十六条', '合同成立时一年期贷款市场报价利率四倍的除外'),
      'not what it says',
    ],
    [
      'the words of interpretation (1) under the name of (2)',
      basis(labor('二'), '第二十条', '劳动者主张加班费的，应当就加班事实的存在承担举证责任'),
      'not what it says',
    ],
    [
      'an article of (1) that (2) does not have',
      text(`《${labor('二')}》第四十四条`),
      'no such article',
    ],
    ['a short name with the wrong number', text('劳动争议解释（二）第四十二条'), 'no such article'],
    [
      'a line of a digest',
      citedInMarkdown('第三百条（要旨） 没有这一条。', 'md', labor('一')),
      'no such article',
    ],
    ['an article without a law', text('依第五百条请求赔偿'), 'no such law'],
    [
      'the text of a skill',
      citedInCode('const words = `依据《合同法》第五十二条，合同无效。`', 'skill.ts'),
      'not in force',
    ],
    [
      'a citation of a document template',
      citedInCode(`{ law: '民法典', article: '第一千三百条', quote }`, 'template.ts'),
      'no such article',
    ],
    [
      'a citation that a calculator makes on a condition',
      citedInCode(`cite('fees', ...(kind === 'x' ? ['第九百条'] : []))`, 'calculator.ts'),
      'no such article',
    ],
    [
      'an article of a calculator without a law',
      citedInCode(`const article = grade <= 4 ? '第三十五条' : ''`, 'calculator.ts'),
      'no such law',
    ],
  ])('%s', (_, planted, fault) => {
    expect(findFaults(planted, excerpt, checkedOn)).toMatchObject([{ fault }])
  })

  test.each([
    ['the same words under the right name', labor('一'), '第四十二条', '劳动者主张加班费的'],
    [
      'the number of the edition in force',
      lending,
      '第二十五条',
      '一年期贷款市场报价利率四倍的除外',
    ],
  ])('and %s is not', (_, law, article, quote) => {
    expect(findFaults(basis(law, article, quote), excerpt, checkedOn)).toEqual([])
  })
})

test('citations in code are read from calls, objects and words', () => {
  const code = [
    `articles: [...cite('fees', ...(halved ? ['第十三条'] : []), '第十六条')],`,
    `const basis = { law: '劳动法', article: '第四十四条' }`,
    `const article = halved ? '第十六条' : '第四十四条'`,
    '/** 《民法典》第一百八十八条 */',
  ].join('\n')
  expect(citedInCode(code, '').map(({ laws, article }) => `${laws} ${article}`)).toEqual([
    '诉讼费用交纳办法 第十三条',
    '诉讼费用交纳办法 第十六条',
    '劳动法 第四十四条',
    '诉讼费用交纳办法 第十六条',
    '劳动法 第四十四条',
    '民法典 第一百八十八条',
  ])
})

describe('citations in running text', () => {
  const brief = (words: string, context: string[] = []) =>
    citedIn(words, '', context).map(({ laws, article }) => `${laws.join('/')} ${article}`)

  test('keep the bracketed number inside and after the quotation marks', () => {
    const name = '最高人民法院关于适用〈民法典〉婚姻家庭编的解释'
    expect(brief(`见《${name}（一）》第三条和《${name}》（二）第四条`)).toEqual([
      `${name}（一） 第三条`,
      `${name}（二） 第四条`,
    ])
  })

  test('are read with nested titles, lists and ranges', () => {
    expect(
      brief('《最高人民法院关于适用《民法典》有关担保制度的解释》第七条、第八条至第十条'),
    ).toEqual(
      ['七', '八', '十'].map((n) => `最高人民法院关于适用《民法典》有关担保制度的解释 第${n}条`),
    )
  })

  test('without a law belong to the law before them, or to the record', () => {
    expect(brief('民法典第一百八十八条；分期的见第一百八十九条')).toEqual([
      '民法典 第一百八十八条',
      '民法典 第一百八十九条',
    ])
    expect(brief('符合第三十九条，see article 40', ['劳动合同法'])).toEqual([
      '劳动合同法 第三十九条',
      '劳动合同法 第四十条',
    ])
  })

  test('forms and books in quotation marks are no laws', () => {
    expect(brief('填写《商标注册申请书》')).toEqual([])
    expect(brief('依《商标法》')).toEqual(['商标法 null'])
  })
})
