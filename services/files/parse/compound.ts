import { passwordProtected, UnsupportedFile } from './limits.ts'

/** Stream name of an encrypted OOXML document inside a compound file. */
const encryptedPackage = Buffer.from('EncryptedPackage', 'utf16le')

export function rejectCompound(bytes: Uint8Array): never {
  const found = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(encryptedPackage)
  if (found) throw passwordProtected()
  throw new UnsupportedFile(
    'Binary Office files (before 2007) are not supported. Save the file as DOCX or XLSX.',
  )
}
