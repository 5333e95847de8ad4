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
  Table,
  TableCell,
  TableRow,
  TextRun,
  WidthType,
} from 'docx'
import type { Block, DraftDocument, RedlineRun } from './document.ts'

const font = { ascii: 'Times New Roman', hAnsi: 'Times New Roman', eastAsia: 'SimSun' }
/** Sizes in half points. */
const size = { text: 24, table: 21, title: 36, heading: 28 }

/** Author of tracked changes, as word processors show it. */
const author = 'Legal Suite'

/** Renders a document as DOCX, encoded in base64. Tracked changes have the day as their date. */
export function renderDocx({ title, blocks }: DraftDocument, day: string): Promise<string> {
  const hasChanges = blocks.some(({ type }) => type === 'redline')
  let changeCount = 0
  const revision = (): Revision => ({ id: ++changeCount, author, date: `${day}T00:00:00Z` })
  const document = new Document({
    title,
    features: { trackRevisions: hasChanges },
    styles: { default: { document: { run: { font, size: size.text } } } },
    sections: [
      {
        footers: { default: pageNumbers() },
        children: [
          new Paragraph({
            heading: HeadingLevel.TITLE,
            alignment: AlignmentType.CENTER,
            children: [new TextRun({ text: title, font, size: size.title, bold: true })],
          }),
          ...blocks.map((block) => renderBlock(block, revision)),
        ],
      },
    ],
  })
  return Packer.toBase64String(document)
}

const pageNumbers = () =>
  new Footer({
    children: [
      new Paragraph({
        alignment: AlignmentType.CENTER,
        children: [
          new TextRun({ children: [PageNumber.CURRENT, ' / ', PageNumber.TOTAL_PAGES], font }),
        ],
      }),
    ],
  })

interface Revision {
  id: number
  author: string
  date: string
}

const renderRedline = (runs: RedlineRun[], revision: () => Revision) =>
  new Paragraph({
    spacing: { after: 120, line: 360 },
    children: runs.map(({ text, change }) => {
      const run = { text, font, size: size.text }
      if (change === 'insert') return new InsertedTextRun({ ...run, ...revision() })
      if (change === 'delete') return new DeletedTextRun({ ...run, ...revision() })
      return new TextRun(run)
    }),
  })

function renderBlock(block: Block, revision: () => Revision): Paragraph | Table {
  if (block.type === 'redline') return renderRedline(block.runs, revision)
  if (block.type === 'heading')
    return new Paragraph({
      heading: HeadingLevel.HEADING_1,
      spacing: { before: 240, after: 120 },
      children: [new TextRun({ text: block.text, font, size: size.heading, bold: true })],
    })
  if (block.type === 'paragraph')
    return new Paragraph({
      alignment: block.align === 'right' ? AlignmentType.RIGHT : AlignmentType.LEFT,
      spacing: { after: 120, line: 360 },
      children: textRuns(block.text, size.text),
    })
  return new Table({
    width: { size: 100, type: WidthType.PERCENTAGE },
    rows: [
      new TableRow({ tableHeader: true, children: block.head.map((text) => cell(text, true)) }),
      ...block.rows.map(
        ({ cells }) => new TableRow({ children: cells.map((text) => cell(text, false)) }),
      ),
    ],
  })
}

const cell = (text: string, bold: boolean) =>
  new TableCell({
    children: text
      .split('\n')
      .map((line) => new Paragraph({ children: textRuns(line, size.table, bold) })),
  })

const textRuns = (text: string, points: number, bold = false) =>
  text
    .split('\n')
    .map(
      (line, index) =>
        new TextRun({ text: line, font, size: points, bold, ...(index > 0 && { break: 1 }) }),
    )
