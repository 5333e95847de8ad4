import {
  AlignmentType,
  DeletedTextRun,
  Document,
  Footer,
  HeadingLevel,
  InsertedTextRun,
  Packer,
  PageNumber,
  Paragraph,
  type Table,
  TextRun,
} from 'docx'
import type { Language } from '../_shared/language.ts'
import { staysWithNext } from './block-order.ts'
import type { Block, DraftDocument, RedlineRun } from './document.ts'
import { documentStyles, fontTable, margins } from './docx-styles.ts'
import { renderTable, textRuns } from './docx-table.ts'

/** Author of tracked changes, as word processors show it. */
const author = 'Legal Suite'

/** Renders a document as DOCX, encoded in base64. Tracked changes have the day as their date. */
export function renderDocx(draft: DraftDocument, day: string): Promise<string> {
  const { title, subtitle, ownTitle, blocks, language } = draft
  const hasChanges = blocks.some(({ type }) => type === 'redline')
  let changeCount = 0
  const revision = (): Revision => ({ id: ++changeCount, author, date: `${day}T00:00:00Z` })
  const document = new Document({
    title,
    creator: author,
    features: { trackRevisions: hasChanges },
    styles: documentStyles(language),
    sections: [
      {
        properties: { page: { size: { width: 11_906, height: 16_838 }, margin: margins } },
        footers: { default: pageNumbers(language) },
        children: [
          ...(ownTitle ? [] : [new Paragraph({ heading: HeadingLevel.TITLE, text: title })]),
          ...(subtitle ? [centered(subtitle)] : []),
          ...blocks.flatMap((block, index) =>
            renderBlock(block, revision, staysWithNext(blocks, index)),
          ),
        ],
      },
    ],
  })
  return Packer.toBase64String(document, undefined, [
    { path: 'word/fontTable.xml', data: fontTable },
  ])
}

const centered = (text: string) =>
  new Paragraph({
    style: 'Flush',
    alignment: AlignmentType.CENTER,
    spacing: { after: 200 },
    children: textRuns(text),
  })

/** Page numbers: 第 1 页 共 3 页, or Page 1 of 3. */
function pageNumbers(language: Language) {
  const { CURRENT, TOTAL_PAGES } = PageNumber
  const children = {
    zh: ['第 ', CURRENT, ' 页 共 ', TOTAL_PAGES, ' 页'],
    en: ['Page ', CURRENT, ' of ', TOTAL_PAGES],
  }[language]
  return new Footer({
    children: [
      new Paragraph({
        alignment: AlignmentType.CENTER,
        children: [new TextRun({ children, size: 18 })],
      }),
    ],
  })
}

interface Revision {
  id: number
  author: string
  date: string
}

const renderRedline = (runs: RedlineRun[], isTitle: boolean, revision: () => Revision) =>
  new Paragraph({
    ...(isTitle ? { heading: HeadingLevel.TITLE } : { style: 'Flush' }),
    children: runs.map(({ text, change }) => {
      if (change === 'insert') return new InsertedTextRun({ text, ...revision() })
      if (change === 'delete') return new DeletedTextRun({ text, ...revision() })
      return new TextRun({ text })
    }),
  })

/** Renders a part. `keepNext` keeps a paragraph on the page of the next part. */
function renderBlock(
  block: Block,
  revision: () => Revision,
  keepNext: boolean,
): (Paragraph | Table)[] {
  if (block.type === 'redline') return [renderRedline(block.runs, block.isTitle === true, revision)]
  if (block.type === 'heading')
    return [new Paragraph({ heading: HeadingLevel.HEADING_1, keepNext: true, text: block.text })]
  if (block.type === 'signature') return renderSignature(block.lines)
  if (block.type === 'paragraph') {
    const { text, align, flush } = block
    const alignment = align && { center: AlignmentType.CENTER, right: AlignmentType.RIGHT }[align]
    return [
      new Paragraph({
        style: align || flush ? 'Flush' : 'Text',
        ...(alignment && { alignment }),
        keepNext,
        children: textRuns(text),
      }),
    ]
  }
  // A paragraph between two tables keeps word processors from joining them.
  return [renderTable(block), new Paragraph({ spacing: { line: 120, lineRule: 'exact' } })]
}

/** The lines of a signature stand on the right and stay together. */
const renderSignature = (lines: string[]) =>
  lines.map(
    (line, index) =>
      new Paragraph({
        style: 'Flush',
        alignment: AlignmentType.RIGHT,
        keepNext: index < lines.length - 1,
        keepLines: true,
        spacing: { before: index === 0 ? 480 : 120, after: 120 },
        indent: { right: 480 },
        children: textRuns(line),
      }),
  )
