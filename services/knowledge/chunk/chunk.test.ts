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
  test('keeps all the text, in order', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 300 }), (text, limit) => {
        const { sections, chunks } = chunkText(text, limit)
        // A section's line is its title, except of an article, whose text holds it.
        const own = (id: string | null) => chunks.filter(({ section_id }) => section_id === id)
        const said = sections.map(({ section_id, title }) => {
          const content = own(section_id)
            .map((chunk) => bare(chunk.content))
            .join('')
          return content.startsWith(bare(title)) && /条|Article|Section/.test(title)
            ? content
            : bare(title) + content
        })
        const before = own(null).map((chunk) => bare(chunk.content))
        expect([...before, ...said].join('')).toBe(bare(text))
      }),
    )
  })

  test('makes no chunk longer than asked, and none empty', () => {
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

  test('cuts no article in two unless it is longer than a chunk', () => {
    const article = (n: number, length: number) => `第${n}条 ${'内容。'.repeat(length)}`
    const { chunks } = chunkText([article(1, 10), article(2, 3), article(3, 100)].join('\n'), 200)
    expect(chunks.map(({ section_id }) => section_id)).toEqual(['第1条', '第2条', '第3条', '第3条'])
  })

  test('keeps the tree of sections', () => {
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

  test('knows Section 1.2 of an article from a section that has articles', () => {
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

  test('gives sections of one name ids of their own', () => {
    const { sections } = chunkText('第一条 甲。\n第一条 乙。')
    expect(sections.map(({ section_id }) => section_id)).toEqual(['第一条', '第一条 (2)'])
  })
})

describe('splitting', () => {
  test('loses nothing but white space, and tears no character', () => {
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
