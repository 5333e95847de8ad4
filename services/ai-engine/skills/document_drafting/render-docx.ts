import {
  AlignmentType,
  Document,
  Footer,
  HeadingLevel,
  Packer,
  PageNumber,
  Paragraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
  WidthType,
} from 'docx'
import type { Block, DraftDocument } from './document.ts'

const font = { ascii: 'Times New Roman', hAnsi: 'Times New Roman', eastAsia: 'SimSun' }
/** Sizes in half points. */
const size = { text: 24, table: 21, title: 36, heading: 28 }

/** Renders a document as DOCX, encoded in base64. */
export function renderDocx({ title, blocks }: DraftDocument): Promise<string> {
  const document = new Document({
    title,
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
          ...blocks.map(renderBlock),
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

function renderBlock(block: Block): Paragraph | Table {
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
