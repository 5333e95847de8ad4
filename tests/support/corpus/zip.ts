import { deflateSync } from 'fflate'

export interface ZipEntry {
  name: string
  bytes: Uint8Array
  /** Size in the headers, if it differs from the real size. */
  declaredSize?: number
  /** Sets the encryption flag. */
  encrypted?: boolean
  /** Number of entries with the same compressed bytes. Default: 1. */
  copies?: number
}

const text = new TextEncoder()
export const textEntry = (name: string, content: string): ZipEntry => ({
  name,
  bytes: text.encode(content),
})

/** Builds a zip archive; its headers may be false. */
export function zip(members: ZipEntry[]): Uint8Array {
  const files: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let offset = 0
  for (const {
    name,
    bytes,
    declaredSize = bytes.length,
    encrypted = false,
    copies = 1,
  } of members) {
    const compressed = deflateSync(bytes)
    const checksum = crc32(bytes)
    for (let n = 0; n < copies; n++) {
      const label = text.encode(copies > 1 ? `${name}.${n}` : name)
      const common = fields(
        [2, 20],
        [2, encrypted ? 1 : 0],
        [2, 8],
        [4, 0],
        [4, checksum],
        [4, compressed.length],
        [4, declaredSize],
        [2, label.length],
        [2, 0],
      )
      const header = concatBytes(fields([4, 0x04034b50]), common, label)
      directory.push(
        concatBytes(
          fields([4, 0x02014b50], [2, 20]),
          common,
          fields([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]),
          label,
        ),
      )
      files.push(header, compressed)
      offset += header.length + compressed.length
    }
  }
  const index = concatBytes(...directory)
  const count = directory.length
  const end = fields(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, index.length],
    [4, offset],
    [2, 0],
  )
  return concatBytes(...files, index, end)
}

function fields(...list: [size: 2 | 4, value: number][]): Uint8Array {
  const bytes = new Uint8Array(list.reduce((sum, [size]) => sum + size, 0))
  const view = new DataView(bytes.buffer)
  let offsetInBuffer = 0
  for (const [size, value] of list) {
    if (size === 2) view.setUint16(offsetInBuffer, value, true)
    else view.setUint32(offsetInBuffer, value, true)
    offsetInBuffer += size
  }
  return bytes
}

export function concatBytes(...parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let offsetInBuffer = 0
  for (const part of parts) {
    all.set(part, offsetInBuffer)
    offsetInBuffer += part.length
  }
  return all
}

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = table[(crc ^ byte) & 255]! ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}
