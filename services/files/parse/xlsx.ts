import readSheets from 'read-excel-file/universal'
import type { ExtractedText } from './limits.ts'
import { inspectZip } from './zip.ts'

/** Extracts each sheet as a page: its name, then its rows with tab-separated cells. */
export async function extractXlsx(bytes: Uint8Array): Promise<ExtractedText> {
  inspectZip(bytes)
  const sheets = await readSheets(bytes.slice().buffer)
  const pages = sheets.map(({ sheet, data }) =>
    [sheet, ...data.map((row) => row.map(cellText).join('\t').trimEnd())].join('\n'),
  )
  return { text: pages.join('\f'), pages: sheets.length }
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  if (!(cell instanceof Date)) return String(cell)
  // Midnight stands for a date without a time.
  return cell.toISOString().replace(/T00:00:00\.000Z$/, '')
}
