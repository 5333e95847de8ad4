import { zlibSync } from 'fflate'
import { rawPdf, xlsx } from './documents.ts'
import { concatBytes, textEntry, type ZipEntry, zip } from './zip.ts'

const MiB = 1024 * 1024
const catalog = '<< /Type /Catalog /Pages 2 0 R >>'
const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>'

/** A Word document with additional archive entries. */
const document = (...members: ZipEntry[]) =>
  zip([textEntry('word/document.xml', '<w:document/>'), ...members])

/** Thirty entries of 10 MiB each, compressed to a few kilobytes. */
export const zipBomb = () =>
  document({ name: 'word/media/zero.bin', bytes: new Uint8Array(10 * MiB), copies: 30 })

/** A zip bomb whose headers declare 100 bytes per entry. */
export const zipBombWithFalseSizes = () =>
  document({
    name: 'word/media/zero.bin',
    bytes: new Uint8Array(10 * MiB),
    declaredSize: 100,
    copies: 30,
  })

const billionLaughsXml = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha">${Array.from(
  { length: 20 },
  (_, n) => `<!ENTITY ${'b'.repeat(n + 1)} "${`&${'b'.repeat(n) || 'a'};`.repeat(10)}">`,
).join('')}]><w:document>&${'b'.repeat(20)};</w:document>`

export const billionLaughs = () => zip([textEntry('word/document.xml', billionLaughsXml)])

/** The entity expansion attack in UTF-16, where a byte search for ASCII fails. */
export const utf16BillionLaughs = () =>
  zip([
    {
      name: 'word/document.xml',
      bytes: new Uint8Array(Buffer.from(`\ufeff${billionLaughsXml}`, 'utf16le')),
    },
  ])

export const manyEntries = () =>
  document({ name: 'word/media/empty', bytes: new Uint8Array(), copies: 20_000 })

export const encryptedZip = () =>
  zip([{ ...textEntry('word/document.xml', '<w:document/>'), encrypted: true }])

/** A password-protected Office document: an OLE container. */
export const encryptedOffice = () =>
  concatBytes(
    Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1),
    new Uint8Array(1024),
    new Uint8Array(Buffer.from('EncryptedPackage', 'utf16le')),
    new Uint8Array(1024),
  )

export const legacyOffice = () =>
  concatBytes(Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1), new Uint8Array(2048))

/** Two cells at the opposite corners of a sheet. */
export const sparseSheet = () =>
  xlsx(
    '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
  )

export function manyPages(count: number): Uint8Array {
  const kids = Array.from({ length: count }, (_, n) => `${n + 3} 0 R`).join(' ')
  const pages = Array<string>(count).fill(page)
  return rawPdf([catalog, `<< /Type /Pages /Count ${count} /Kids [${kids}] >>`, ...pages])
}

export const encryptedPdf = () =>
  rawPdf(
    [
      catalog,
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      page,
      `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >>`,
    ],
    '/Encrypt 4 0 R /ID [<00><00>]',
  )

/** A page whose content streams are 1 GiB when decompressed. */
export function pdfBomb(): Uint8Array {
  const compressed = zlibSync(new Uint8Array(256 * MiB).fill(0x20))
  const stream = Buffer.from(compressed).toString('latin1')
  return rawPdf([
    catalog,
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents [4 0 R 4 0 R 4 0 R 4 0 R] >>',
    `<< /Length ${compressed.length} /Filter /FlateDecode >>\nstream\n${stream}\nendstream`,
  ])
}

/** A page with an image of 10,000 × 10,000 pixels and no text. */
export const pdfWithHugeImage = () =>
  rawPdf([
    catalog,
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>',
    '<< /Length 28 >>\nstream\nq 100 0 0 100 0 0 cm /I Do Q\nendstream',
    '<< /Type /XObject /Subtype /Image /Width 10000 /Height 10000 /BitsPerComponent 1 /ColorSpace /DeviceGray /Length 0 >>\nstream\n\nendstream',
  ])

/** PNG header with 50,000 × 50,000 pixels. */
export const hugePng = () =>
  Uint8Array.from([
    ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52],
    ...[0, 0, 0xc3, 0x50, 0, 0, 0xc3, 0x50, 8, 2, 0, 0, 0, 0, 0, 0, 0],
  ])

export const hugeJpeg = () =>
  Uint8Array.from([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0],
    ...[0xff, 0xc0, 0, 11, 8, 0xc3, 0x50, 0xc3, 0x50, 1, 1, 0x11, 0, 0xff, 0xd9],
  ])

export function hugeTiff(): Uint8Array {
  const bytes = new Uint8Array(8 + 2 + 24 + 4)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0x4d4d002a)
  view.setUint32(4, 8)
  view.setUint16(8, 2)
  for (const [index, tag] of [256, 257].entries()) {
    view.setUint16(10 + index * 12, tag)
    view.setUint16(12 + index * 12, 4)
    view.setUint32(14 + index * 12, 1)
    view.setUint32(18 + index * 12, 50_000)
  }
  return bytes
}

export function cyclicTiff(): Uint8Array {
  const bytes = hugeTiff()
  new DataView(bytes.buffer).setUint32(34, 8)
  return bytes
}

export const plainZip = () => zip([textEntry('notes.txt', 'Nothing to see.')])
