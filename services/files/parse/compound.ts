import { passwordProtected, UnsupportedFile } from './limits.ts'

/** Office keeps a locked document inside an older kind of file, under this name. */
const encryptedPackage = Buffer.from('EncryptedPackage', 'utf16le')

export function rejectCompound(bytes: Uint8Array): never {
  const found = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(encryptedPackage)
  if (found) throw passwordProtected()
  throw new UnsupportedFile(
    'Office files from before 2007 are not parsed; save it as DOCX or XLSX.',
  )
}
