import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chunkText } from './chunk.ts'
import { split } from './split.ts'

const bare = (text: string) => text.replace(/\s+/g, '').replace(/#/g, '')

const line = fc.oneof(
  fc.constantFrom(
    '第一编 总则',
    '第二章 合同',
    '第三节 借款',
    '一、前言',
    '# Heading',
    'Part 2 Duties',
  ),
  fc.constantFrom(
    '第一条 甲乙丙。',
    '第二条 丁。',
    '第十二条之一 戊。',
    'Article 5 Text.',
    'Section 1.2 Pay',
  ),
  fc.string({ unit: fc.constantFrom(...'合同法借款。；，ab 12第条章'.split('')), maxLength: 120 }),
)
const text = fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n'))

describe('chunking', () => {
  test('chunks contain the whole text in order', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 300 }), (text, limit) => {
        const { sections, chunks } = chunkText(text, limit)
        // The heading line of a section is its title; the heading of an article is part of its text.
        const own = (id: string | null) => chunks.filter(({ section_id }) => section_id === id)
        const contents = sections.map(({ section_id, title }) => {
          const content = own(section_id)
            .map((chunk) => bare(chunk.content))
            .join('')
          return content.startsWith(bare(title)) && /条|Article|Section/.test(title)
            ? content
            : bare(title) + content
        })
        const before = own(null).map((chunk) => bare(chunk.content))
        expect([...before, ...contents].join('')).toBe(bare(text))
      }),
    )
  })

  test('no chunk is empty or longer than the maximum', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 10, max: 200 }), (text, limit) => {
        const { chunks } = chunkText(text, limit)
        chunks.forEach(({ content, chunk_index }, index) => {
          expect(chunk_index).toBe(index)
          expect(content.trim()).not.toBe('')
          expect(content.length).toBeLessThanOrEqual(limit)
        })
      }),
    )
  })

  test('an article is split only if it is longer than a chunk', () => {
    const article = (n: number, length: number) => `第${n}条 ${'内容。'.repeat(length)}`
    const { chunks } = chunkText([article(1, 10), article(2, 3), article(3, 100)].join('\n'), 200)
    expect(chunks.map(({ section_id }) => section_id)).toEqual(['第1条', '第2条', '第3条', '第3条'])
  })

  test('the section tree of the text is preserved', () => {
    const { sections, chunks } = chunkText(
      [
        '样例法',
        '第一编　总则',
        '第一章　一般规定',
        '第一条　甲。',
        '第二款。',
        '第二章　附则',
        '第二条　乙，依照第一章的规定。',
        '第二编 分则',
        '第三条 丙。',
      ].join('\n'),
    )
    expect(sections.map(({ section_id, parent_id }) => [section_id, parent_id])).toEqual([
      ['第一编', null],
      ['第一编/第一章', '第一编'],
      ['第一编/第一章/第一条', '第一编/第一章'],
      ['第一编/第二章', '第一编'],
      ['第一编/第二章/第二条', '第一编/第二章'],
      ['第二编', null],
      ['第二编/第三条', '第二编'],
    ])
    expect(chunks[0]).toMatchObject({ section_id: null, content: '样例法', metadata: {} })
    expect(chunks[1]).toMatchObject({
      content: '第一条　甲。\n第二款。',
      metadata: { heading: '第一编　总则 / 第一章　一般规定' },
    })
  })

  test('Section 1.2 within an article is distinguished from a section that contains articles', () => {
    const { sections } = chunkText(
      'Section 1 Duties\nArticle 1 Pay\nSection 1.1 When\nSection 1.2 How',
    )
    expect(sections.map(({ section_id }) => section_id)).toEqual([
      'Section 1',
      'Section 1/Article 1',
      'Section 1/Article 1/Section 1.1',
      'Section 1/Article 1/Section 1.2',
    ])
  })

  test('sections with the same name get distinct ids', () => {
    const { sections } = chunkText('第一条 甲。\n第一条 乙。')
    expect(sections.map(({ section_id }) => section_id)).toEqual(['第一条', '第一条 (2)'])
  })
})

describe('splitting', () => {
  test('splitting loses only white space and splits no surrogate pair', () => {
    const unit = fc.constantFrom(...Array.from('合。；，a b.\n𠮷😀'))
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 300 }),
        fc.integer({ min: 2, max: 50 }),
        (text, limit) => {
          const pieces = split(text, limit)
          expect(pieces.map(bare).join('')).toBe(bare(text))
          for (const piece of pieces) expect(piece.isWellFormed()).toBe(true)
        },
      ),
    )
  })
})
