import './no-network.worker.ts'
import process from 'node:process'
import { buffer } from 'node:stream/consumers'
import { rejectCompound } from './compound.ts'
import type { Format } from './formats.ts'
import {
  type Budget,
  type ExtractedText,
  limits,
  UnreadableFile,
  UnsupportedFile,
} from './limits.ts'
import { makeRecognizer } from './ocr.worker.ts'
import { type ParseOutcome, startedLine } from './parser.ts'
import { decodeText, detectLanguage, truncateText } from './text.ts'

/**
 * Entry point of the parser process: reads one file from stdin, writes the outcome as a line of JSON and
 * exits. The parent process enforces the limits on time and memory.
 */
const ocr = makeRecognizer()

const parsers: Record<Format, (bytes: Uint8Array, budget: Budget) => Promise<ExtractedText>> = {
  text: async (bytes) => ({ text: decodeText(bytes), pages: 1 }),
  html: async (bytes) => {
    const { extractHtml: htmlToText } = await import('./html.ts')
    return { text: htmlToText(decodeText(bytes)), pages: 1 }
  },
  pdf: async (bytes, budget) => (await import('./pdf.ts')).extractPdf(bytes, ocr.recognize, budget),
  docx: async (bytes) => (await import('./docx.ts')).extractDocx(bytes),
  xlsx: async (bytes) => (await import('./xlsx.ts')).extractXlsx(bytes),
  image: async (bytes, budget) =>
    (await import('./image.ts')).extractImage(bytes, ocr.recognize, budget),
  compound: async (bytes) => rejectCompound(bytes),
}

async function parseInput(format: Format, budget: Budget): Promise<ParseOutcome> {
  const bytes = new Uint8Array(await buffer(process.stdin))
  try {
    const extracted = await parsers[format](bytes, budget)
    const { text, truncated } = truncateText(extracted.text, limits.characters)
    return {
      status: 'SUCCEEDED',
      text,
      pages: extracted.pages,
      language: detectLanguage(text),
      truncated: truncated || extracted.truncated === true,
    }
  } catch (thrown) {
    if (thrown instanceof UnsupportedFile) return { status: 'UNSUPPORTED', reason: thrown.message }
    console.error(thrown)
    const reason =
      thrown instanceof UnreadableFile
        ? thrown.message
        : 'The file is damaged or has an unexpected format.'
    return { status: 'FAILED', reason }
  }
}

process.stdout.write(`${startedLine}\n`)
const [format, until] = process.argv.slice(2)
const line = `\n${JSON.stringify(await parseInput(format as Format, { until: Number(until) }))}\n`
await new Promise<void>((resolve) => process.stdout.write(line, () => resolve()))
process.exit(0)
