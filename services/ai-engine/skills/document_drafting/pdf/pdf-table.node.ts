import type { TableBlock } from '../document.ts'
import { type PdfPage, textWidth } from './pdf-page.node.ts'
import type { Line } from './wrap-lines.ts'

const size = 10.5
const lineHeight = size * 1.45
const padding = { x: 5, y: 4 }

interface Cell {
  lines: Line[]
  x: number
  width: number
  shaded: boolean
  centered: boolean
}

/** Draws a table. Its head is repeated on every page; a row is split only if it is longer than a page. */
export function drawTable(page: PdfPage, { widths, head, labels, rows }: TableBlock): void {
  const sum = widths.reduce((total, share) => total + share, 0)
  const columns = widths.map((share) => (share / sum) * textWidth)
  const starts = columns.map((_, at) =>
    columns.slice(0, at).reduce((x, each) => x + each, page.left),
  )
  const makeCell = (
    text: string,
    column: number,
    format: { bold: boolean; shaded: boolean },
  ): Cell => ({
    lines: page.wrap([{ text, bold: format.bold }], columns[column]! - 2 * padding.x, size),
    x: starts[column]!,
    width: columns[column]!,
    shaded: format.shaded,
    centered: format.shaded,
  })
  const headCells = head?.map((text, column) =>
    makeCell(text, column, { bold: true, shaded: true }),
  )
  const startPage = () => {
    page.newPage()
    if (headCells) drawRow(page, headCells)
  }
  const rowCells = rows.map((row): Cell[] =>
    'section' in row
      ? [
          {
            lines: page.wrap([{ text: row.section, bold: true }], textWidth - 2 * padding.x, size),
            ...{ x: page.left, width: textWidth, shaded: true, centered: true },
          },
        ]
      : row.cells.map((text, column) =>
          makeCell(text, column, { bold: labels === true && column === 0, shaded: false }),
        ),
  )
  if (headCells) {
    page.keep(rowHeight(headCells) + rowHeight(rowCells[0] ?? []))
    drawRow(page, headCells)
  }
  for (const [index, cells] of rowCells.entries()) {
    // The title of a section stays with the row after it.
    const next = cells[0]?.shaded ? Math.min(rowHeight(rowCells[index + 1] ?? []), 120) : 0
    if (rowHeight(cells) + next > page.room && rowHeight(cells) + next <= page.fullHeight / 2)
      startPage()
    drawSplit(page, cells, startPage)
  }
}

/** Draws a row; the lines that do not fit go on on the next page. */
function drawSplit(page: PdfPage, cells: Cell[], startPage: () => void): void {
  let rest = cells
  while (rowHeight(rest) > page.room) {
    const fitting = Math.floor((page.room - 2 * padding.y) / lineHeight)
    if (fitting > 0) drawRow(page, takeLines(rest, 0, fitting))
    rest = takeLines(rest, Math.max(fitting, 0))
    startPage()
  }
  drawRow(page, rest)
}

const takeLines = (cells: Cell[], from: number, to?: number) =>
  cells.map((cell) => ({ ...cell, lines: cell.lines.slice(from, to) }))

const rowHeight = (cells: Cell[]) =>
  Math.max(0, ...cells.map(({ lines }) => lines.length)) * lineHeight + 2 * padding.y

function drawRow(page: PdfPage, cells: Cell[]): void {
  const height = rowHeight(cells)
  for (const { lines, x, width, shaded, centered } of cells) {
    page.box(x, width, height, shaded)
    const top = page.y + (height - lines.length * lineHeight) / 2
    for (const [index, line] of lines.entries()) {
      const free = width - 2 * padding.x - page.lineWidth(line, size)
      const shift = padding.x + (centered ? free / 2 : 0)
      page.drawLine(line, x + shift, top + index * lineHeight, size)
    }
  }
  page.skip(height)
}
