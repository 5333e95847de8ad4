import mammoth from 'mammoth'
import type { Found } from './limits.ts'
import { inspectZip } from './zip.ts'

export async function textOfDocx(bytes: Uint8Array): Promise<Found> {
  inspectZip(bytes)
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const { value } = await mammoth.extractRawText({ buffer })
  return { text: value.trim(), pages: 1 }
}
