import { extractText, getDocumentProxy } from 'unpdf'
import { expect, test } from 'vitest'
import type { Block, DraftDocument } from '../document.ts'
import { form } from '../document.ts'
import { renderPdf } from './render-pdf.node.ts'

const draft = (...blocks: Block[]): DraftDocument => ({
  ...{ key: 'k', title: '民事起诉状', kind: 'k', filename: 'k.docx', language: 'zh' },
  subtitle: '（民间借贷纠纷）',
  blocks,
})

async function render(document: DraftDocument) {
  const content = await renderPdf(document, '2026-06-15')
  const bytes = Uint8Array.from(atob(content!), (sign) => sign.charCodeAt(0))
  const source = new TextDecoder('latin1').decode(bytes)
  const pdf = await getDocumentProxy(bytes)
  const { text: pages } = await extractText(pdf, { mergePages: false })
  return { pages, source, text: pages.join('\n').replace(/\s/g, '') }
}

test('the text of a PDF can be extracted, its fonts are embedded and its pages are numbered', async () => {
  const { text, source, pages } = await render(
    draft(
      { type: 'heading', text: '一、案件事实' },
      { type: 'paragraph', text: '李喆借给Tom Chen 100,000元。', sources: form },
      { type: 'signature', lines: ['具状人：李喆', '2026年6月15日'], sources: form },
    ),
  )
  for (const part of [
    '民事起诉状',
    '（民间借贷纠纷）',
    '一、案件事实',
    '李喆借给TomChen100,000元。',
  ])
    expect(text).toContain(part)
  expect(text).toContain('第1页共1页')
  expect(pages).toHaveLength(1)
  expect(source).toMatch(/\/FontFile2/)
  expect(source).not.toMatch(/\/BaseFont \/Helvetica/)
})

test('the head of a table is repeated on every page', async () => {
  const rows = Array.from({ length: 60 }, (_, index) => ({
    cells: [`第${index + 1}项`, '内容'],
    sources: form,
  }))
  const { pages } = await render(
    draft({ type: 'table', widths: [1, 1], head: ['序号', '证据名称'], rows }),
  )
  expect(pages.length).toBeGreaterThan(1)
  for (const page of pages) expect(page.replace(/\s/g, '')).toContain('证据名称')
  expect(pages.join('')).toContain('60')
})

test('a row that is longer than a page goes on over pages without loss', async () => {
  const story = Array.from({ length: 900 }, (_, index) => `${index}号。`).join('')
  const { pages, text } = await render(
    draft({
      ...{ type: 'table', widths: [1, 3], labels: true },
      rows: [{ section: '事实和理由' }, { cells: ['事实经过', story], sources: form }],
    }),
  )
  expect(pages.length).toBeGreaterThan(1)
  const numbers = [...text.replace(/第\d+页共\d+页/g, '').matchAll(/(\d+)号/g)].map(([, n]) =>
    Number(n),
  )
  expect(numbers).toEqual(Array.from({ length: 900 }, (_, index) => index))
})

test('insertions and deletions of a contract are both in the text', async () => {
  const { text } = await render({
    ...draft({
      type: 'redline',
      runs: [
        { text: '定金为' },
        { text: '百分之四十', change: 'delete' },
        { text: '百分之二十', change: 'insert' },
      ],
      sources: form,
    }),
    ownTitle: true,
  })
  expect(text).toContain('定金为百分之四十百分之二十')
  expect(text).not.toContain('民事起诉状')
})

test('a document with a character that the fonts lack is not rendered', async () => {
  const paragraph: Block = { type: 'paragraph', text: '𠮷野', sources: form }
  expect(await renderPdf(draft(paragraph), '2026-06-15')).toBeNull()
})
