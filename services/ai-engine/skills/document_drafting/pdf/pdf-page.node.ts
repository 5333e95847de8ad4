import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import PDFDocument from 'pdfkit'
import type { Language } from '../../_shared/language.ts'
import { type Line, type Span, wrapLines } from './wrap-lines.ts'

/** Noto Serif SC. Only the glyphs that a document uses are embedded. */
const family = '@expo-google-fonts/noto-serif-sc'
const require = createRequire(import.meta.url)
const readFont = (path: string) => readFileSync(require.resolve(`${family}/${path}`))

/** A4 with the margins of the DOCX, in points. */
const page = { width: 595.28, height: 841.89, top: 85, right: 73.7, bottom: 73.7, left: 79.4 }
export const textWidth = page.width - page.left - page.right
const lowest = page.height - page.bottom
const colors = { text: '#000000', insert: '#1f4e9d', delete: '#b00020', rule: '#000000' }
const shade = '#ededed'

export interface TextFormat {
  size: number
  /** Height of a line as a multiple of the size. Default: 1.6. */
  leading?: number
  align?: 'left' | 'center' | 'right'
  indent?: number
}

/** A PDF that is written from top to bottom. */
export type PdfPage = ReturnType<typeof openPdf>

/** Opens a document with one page. `y` is the place of the next line. */
export function openPdf(info: { title: string; author: string; day: string; language: Language }) {
  const pdf = new PDFDocument({
    size: 'A4',
    margin: 0,
    bufferPages: true,
    lang: { zh: 'zh-CN', en: 'en' }[info.language],
    displayTitle: true,
    info: {
      Title: info.title,
      Author: info.author,
      CreationDate: new Date(`${info.day}T00:00:00Z`),
    },
  })
  const parts: Uint8Array[] = []
  pdf.on('data', (part: Uint8Array) => parts.push(part))
  const ended = new Promise<void>((resolve) => pdf.on('end', () => resolve()))
  pdf.registerFont('regular', readFont('400Regular/NotoSerifSC_400Regular.ttf'))
  pdf.registerFont('bold', readFont('700Bold/NotoSerifSC_700Bold.ttf'))
  let y = page.top

  const use = (bold: boolean, size: number) => pdf.font(bold ? 'bold' : 'regular').fontSize(size)
  const widths = new Map<string, number>()
  /** Width in em, cached: the text of a document repeats its characters. */
  const measureEm = (text: string, bold: boolean) => {
    const key = `${bold ? 'b' : 'r'}${text}`
    if (!widths.has(key)) widths.set(key, use(bold, 1).widthOfString(text))
    return widths.get(key)!
  }
  const wrap = (spans: Span[], width: number, size: number, indent = 0): Line[] =>
    wrapLines(spans, width, (text, bold) => measureEm(text, bold) * size, indent)

  const drawLine = (line: Line, x: number, top: number, size: number) => {
    let at = x
    for (const { text, bold, change } of line) {
      use(bold === true, size).fillColor(colors[change ?? 'text'])
      pdf.text(text, at, top, {
        lineBreak: false,
        underline: change === 'insert',
        strike: change === 'delete',
      })
      at += measureEm(text, bold === true) * size
    }
  }
  const lineWidth = (line: Line, size: number) =>
    line.reduce((sum, { text, bold }) => sum + measureEm(text, bold === true) * size, 0)

  const newPage = () => {
    pdf.addPage()
    y = page.top
  }

  return {
    wrap,
    drawLine,
    lineWidth,
    newPage,
    get y() {
      return y
    },
    /** Height that is left on the page. */
    get room() {
      return lowest - y
    },
    /** Height of an empty page. */
    fullHeight: lowest - page.top,
    left: page.left,
    skip(height: number) {
      y += height
    },
    /** Starts a page unless `height` fits. */
    keep(height: number) {
      if (y + height > lowest) newPage()
    },
    /** Writes a paragraph, over as many pages as it needs. */
    write(spans: Span[], { size, leading = 1.6, align = 'left', indent = 0 }: TextFormat) {
      for (const [index, line] of wrap(spans, textWidth, size, indent).entries()) {
        if (y + size * leading > lowest) newPage()
        const free = textWidth - lineWidth(line, size)
        const shift = { left: index === 0 ? indent : 0, center: free / 2, right: free }[align]
        drawLine(line, page.left + shift, y, size)
        y += size * leading
      }
    },
    box(x: number, width: number, height: number, shaded: boolean) {
      if (shaded) pdf.rect(x, y, width, height).fill(shade)
      pdf.lineWidth(0.5).strokeColor(colors.rule).rect(x, y, width, height).stroke()
    },
    bookmark(title: string) {
      pdf.outline.addItem(title)
    },
    /** Numbers the pages and returns the bytes. */
    async finish(footer: (current: number, total: number) => string): Promise<Uint8Array> {
      const { count } = pdf.bufferedPageRange()
      for (let index = 0; index < count; index++) {
        pdf.switchToPage(index)
        const line = [{ text: footer(index + 1, count) }]
        drawLine(line, (page.width - lineWidth(line, 9)) / 2, page.height - 45, 9)
      }
      pdf.end()
      await ended
      return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer())
    },
    /** Whether the fonts have a glyph for every character. */
    covers(text: string): boolean {
      use(false, 1)
      const { font } = (pdf as unknown as { _font: { font: GlyphTable } })._font
      return [...text].every(
        (character) =>
          /\s/u.test(character) || font.hasGlyphForCodePoint(character.codePointAt(0)!),
      )
    },
  }
}

/** Part of the font that pdfkit holds. */
interface GlyphTable {
  hasGlyphForCodePoint(codePoint: number): boolean
}
