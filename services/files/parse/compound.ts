import { locked, Unsupported } from './limits.ts'

/** Office keeps a locked document inside an older kind of file, under this name. */
const encrypted = Buffer.from('EncryptedPackage', 'utf16le')

export function refuseCompound(bytes: Uint8Array): never {
  const found = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(encrypted)
  if (found) throw locked()
  throw new Unsupported('Office files from before 2007 are not parsed; save it as DOCX or XLSX.')
}
