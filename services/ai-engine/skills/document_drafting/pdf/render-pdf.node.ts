import { TimeSlice } from '../../../../_kit/time-slice.ts'
import { staysWithNext } from '../block-order.ts'
import type { Block, DraftDocument } from '../document.ts'
import { openPdf, type PdfPage } from './pdf-page.node.ts'
import { drawTable } from './pdf-table.node.ts'

const author = 'Legal Suite'
/** Sizes in points. */
const sizes = { title: 20, heading: 14, text: 12 }

/**
 * Renders a document as PDF with embedded fonts, encoded in base64. Null if the fonts lack a character: a
 * document with gaps must not be sent.
 */
export async function renderPdf(draft: DraftDocument, day: string): Promise<string | null> {
  const { title, subtitle, ownTitle, blocks, language } = draft
  const page = openPdf({ title, author, day, language })
  if (!page.covers(JSON.stringify([title, subtitle, blocks]))) return null
  if (!ownTitle) writeTitle(page, title)
  if (subtitle) {
    page.write([{ text: subtitle }], { size: sizes.text, align: 'center' })
    page.skip(8)
  }
  const slice = new TimeSlice()
  for (const [index, block] of blocks.entries()) {
    // Closing lines and signature: at most seven lines.
    if (staysWithNext(blocks, index)) page.keep(180)
    writeBlock(page, block, language === 'zh' ? 2 * sizes.text : 0)
    // A long contract must not keep the process from renewing its leases.
    if (slice.isOver) await slice.pause()
  }
  const bytes = await page.finish((current, total) =>
    language === 'zh' ? `第 ${current} 页 共 ${total} 页` : `Page ${current} of ${total}`,
  )
  return encodeBase64(bytes)
}

function writeTitle(page: PdfPage, text: string) {
  page.write([{ text, bold: true }], { size: sizes.title, align: 'center' })
  page.skip(6)
}

function writeBlock(page: PdfPage, block: Block, indent: number): void {
  const { text: size } = sizes
  if (block.type === 'table') {
    drawTable(page, block)
    page.skip(10)
    return
  }
  if (block.type === 'heading') {
    // A heading is not the last line of a page.
    page.keep(80)
    page.skip(12)
    page.bookmark(block.text)
    page.write([{ text: block.text, bold: true }], { size: sizes.heading })
    page.skip(4)
    return
  }
  if (block.type === 'signature') {
    page.keep(block.lines.length * 28 + 24)
    page.skip(24)
    for (const text of block.lines) {
      page.write([{ text }], { size, align: 'right' })
      page.skip(8)
    }
    return
  }
  if (block.type === 'redline') {
    if (block.isTitle) {
      const bold = block.runs.map((run) => ({ ...run, bold: true }))
      page.write(bold, { size: sizes.title, align: 'center' })
    } else page.write(block.runs, { size })
    page.skip(5)
    return
  }
  const { text, align, flush } = block
  page.write([{ text }], { size, ...(align ? { align } : { indent: flush ? 0 : indent }) })
  page.skip(5)
}

function encodeBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += 32_768)
    binary += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  return btoa(binary)
}
