import {
  AlignmentType,
  Paragraph,
  ShadingType,
  Table,
  TableCell,
  TableLayoutType,
  TableRow,
  TextRun,
  VerticalAlign,
  WidthType,
} from 'docx'
import type { TableBlock } from './document.ts'
import { textWidth } from './docx-styles.ts'

const shading = { type: ShadingType.CLEAR, color: 'auto', fill: 'EDEDED' }

interface CellFormat {
  width: number
  span?: number
  bold?: boolean
  shaded?: boolean
  centered?: boolean
}

/** Renders a table with fixed column widths. Its head is repeated on every page; no row is split. */
export function renderTable({ widths, head, labels, rows }: TableBlock): Table {
  const sum = widths.reduce((total, share) => total + share, 0)
  const columns = widths.map((share) => Math.round((share / sum) * textWidth))
  return new Table({
    layout: TableLayoutType.FIXED,
    width: { size: textWidth, type: WidthType.DXA },
    columnWidths: columns,
    rows: [
      ...(head
        ? [
            new TableRow({
              tableHeader: true,
              cantSplit: true,
              children: head.map((text, column) =>
                cell(text, { width: columns[column]!, bold: true, shaded: true, centered: true }),
              ),
            }),
          ]
        : []),
      ...rows.map((row) =>
        'section' in row
          ? new TableRow({
              cantSplit: true,
              children: [
                cell(row.section, {
                  ...{ width: textWidth, span: columns.length },
                  ...{ bold: true, shaded: true, centered: true },
                }),
              ],
            })
          : new TableRow({
              // A long row, such as a story, may go on over the page.
              cantSplit: row.cells.every((text) => text.length < 400),
              children: row.cells.map((text, column) =>
                cell(text, { width: columns[column]!, bold: labels === true && column === 0 }),
              ),
            }),
      ),
    ],
  })
}

const cell = (text: string, { width, span, bold, shaded, centered }: CellFormat) =>
  new TableCell({
    width: { size: width, type: WidthType.DXA },
    margins: { top: 40, bottom: 40, left: 100, right: 100 },
    verticalAlign: VerticalAlign.CENTER,
    ...(span && { columnSpan: span }),
    ...(shaded && { shading }),
    children: text.split('\n').map(
      (line) =>
        new Paragraph({
          style: 'Cell',
          ...(centered && { alignment: AlignmentType.CENTER, keepNext: true }),
          children: textRuns(line, bold),
        }),
    ),
  })

/** Runs of a text; its lines are separated by breaks. */
export const textRuns = (text: string, bold = false) =>
  text
    .split('\n')
    .map(
      (line, index) =>
        new TextRun({ text: line, ...(bold && { bold }), ...(index > 0 && { break: 1 }) }),
    )
