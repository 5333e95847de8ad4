import process from 'node:process'
import { buffer } from 'node:stream/consumers'
import { refuseCompound } from './compound.ts'
import type { Format } from './formats.ts'
import { type Budget, type Found, limits, Unreadable, Unsupported } from './limits.ts'
import { recognizer } from './ocr.worker.ts'
import type { Outcome } from './parser.ts'
import { bounded, decodeText, languageOf } from './text.ts'

/**
 * Parses one file and ends: its bytes come in, a line of JSON goes out. Whoever started it ends it when it
 * takes too long or too much.
 */
const ocr = recognizer()

const parsers: Record<Format, (bytes: Uint8Array, budget: Budget) => Promise<Found>> = {
  text: async (bytes) => ({ text: decodeText(bytes), pages: 1 }),
  html: async (bytes) => {
    const { textOfHtml } = await import('./html.ts')
    return { text: textOfHtml(decodeText(bytes)), pages: 1 }
  },
  pdf: async (bytes, budget) => (await import('./pdf.ts')).textOfPdf(bytes, ocr.recognize, budget),
  docx: async (bytes) => (await import('./docx.ts')).textOfDocx(bytes),
  xlsx: async (bytes) => (await import('./xlsx.ts')).textOfXlsx(bytes),
  image: async (bytes) => (await import('./image.ts')).textOfImage(bytes, ocr.recognize),
  compound: async (bytes) => refuseCompound(bytes),
}

async function outcome(format: Format, budget: Budget): Promise<Outcome> {
  const bytes = new Uint8Array(await buffer(process.stdin))
  try {
    const found = await parsers[format](bytes, budget)
    const { text, truncated } = bounded(found.text, limits.characters)
    return {
      status: 'SUCCEEDED',
      text,
      pages: found.pages,
      language: languageOf(text),
      truncated: truncated || found.truncated === true,
    }
  } catch (thrown) {
    if (thrown instanceof Unsupported) return { status: 'UNSUPPORTED', reason: thrown.message }
    console.error(thrown)
    const reason =
      thrown instanceof Unreadable ? thrown.message : 'The file is damaged, or not what it seems.'
    return { status: 'FAILED', reason }
  }
}

const [format, until] = process.argv.slice(2)
const said = `\n${JSON.stringify(await outcome(format as Format, { until: Number(until) }))}\n`
await new Promise<void>((resolve) => process.stdout.write(said, () => resolve()))
process.exit(0)
