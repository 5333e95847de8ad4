import { Inflate } from 'fflate'
import { limits, passwordProtected, UnreadableFile } from './limits.ts'

interface Member {
  name: string
  method: number
  compressed: Uint8Array
}

/**
 * Checks a zip archive before a library opens it. Measures the inflated size instead of trusting the header,
 * and rejects XML that declares entities (entity expansion).
 */
export function inspectZip(bytes: Uint8Array): void {
  let remainingBytes = limits.inflatedBytes
  for (const { name, method, compressed } of readMembers(bytes)) {
    const isXml = /\.(xml|rels)$/i.test(name)
    const chunks: Uint8Array[] = []
    inflate(method, compressed, (chunk) => {
      remainingBytes -= chunk.length
      if (remainingBytes < 0) throw tooLarge()
      if (isXml) chunks.push(chunk)
    })
    if (isXml) rejectEntities(chunks)
  }
}

const tooLarge = () => new UnreadableFile('The inflated archive exceeds the size limit.')
const damagedArchive = () => new UnreadableFile('The archive is damaged.')

/** Reads the members of the central directory. */
function readMembers(bytes: Uint8Array): Member[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const end = directoryEnd(view)
  const count = view.getUint16(end + 10, true)
  if (count > limits.zipMembers)
    throw new UnreadableFile('The archive has more than 10,000 members.')
  let at = view.getUint32(end + 16, true)
  let declared = 0
  return Array.from({ length: count }, () => {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) throw damagedArchive()
    if (view.getUint16(at + 8, true) & 1) throw passwordProtected()
    declared += view.getUint32(at + 24, true)
    if (declared > limits.inflatedBytes) throw tooLarge()
    const nameLength = view.getUint16(at + 28, true)
    const name = latin1.decode(bytes.subarray(at + 46, at + 46 + nameLength))
    const compressed = memberData(
      bytes,
      view,
      view.getUint32(at + 42, true),
      view.getUint32(at + 20, true),
    )
    const method = view.getUint16(at + 10, true)
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    return { name, method, compressed }
  })
}

const latin1 = new TextDecoder('latin1')

function directoryEnd(view: DataView): number {
  const searchEnd = Math.max(0, view.byteLength - 22 - 0xffff)
  for (let at = view.byteLength - 22; at >= searchEnd; at--) {
    if (view.getUint32(at, true) === 0x06054b50) return at
  }
  throw damagedArchive()
}

function memberData(bytes: Uint8Array, view: DataView, at: number, size: number): Uint8Array {
  if (at + 30 > bytes.length || view.getUint32(at, true) !== 0x04034b50) throw damagedArchive()
  const start = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
  if (start + size > bytes.length) throw damagedArchive()
  return bytes.subarray(start, start + size)
}

function inflate(method: number, compressed: Uint8Array, onChunk: (chunk: Uint8Array) => void) {
  if (method === 0) return onChunk(compressed)
  if (method !== 8)
    throw new UnreadableFile('The compression method of the archive is not supported.')
  const stream = new Inflate(onChunk)
  const step = 64 * 1024
  for (let at = 0; at < compressed.length; at += step) {
    try {
      stream.push(compressed.subarray(at, at + step), at + step >= compressed.length)
    } catch (thrown) {
      throw thrown instanceof UnreadableFile ? thrown : damagedArchive()
    }
  }
}

function rejectEntities(chunks: Uint8Array[]) {
  const [first] = chunks
  const encoding =
    first?.[0] === 0xff || first?.[1] === 0
      ? 'utf-16le'
      : first?.[0] === 0xfe || first?.[0] === 0
        ? 'utf-16be'
        : 'latin1'
  const decoder = new TextDecoder(encoding)
  const xml = chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('')
  if (/<!(DOCTYPE|ENTITY)/i.test(xml)) {
    throw new UnreadableFile('The document declares XML entities, which are not allowed.')
  }
}
