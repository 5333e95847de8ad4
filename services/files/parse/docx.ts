import mammoth from 'mammoth'
import type { ExtractedText } from './limits.ts'
import { inspectZip } from './zip.ts'

export async function extractDocx(bytes: Uint8Array): Promise<ExtractedText> {
  inspectZip(bytes)
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const { value } = await mammoth.extractRawText({ buffer })
  return { text: value.trim(), pages: 1 }
}
