import { fileTypeFromBuffer } from 'file-type'

/** Number of leading bytes used to detect the content type. */
export const sampleBytes = 64 * 1024

export const unknownType = 'application/octet-stream'
const office = 'application/vnd.openxmlformats-officedocument'
const officeFolders = new Map([
  ['word', `${office}.wordprocessingml.document`],
  ['xl', `${office}.spreadsheetml.sheet`],
  ['ppt', `${office}.presentationml.presentation`],
])

/**
 * Detects the content type from the first bytes. The filename only selects between text types. The content
 * type sent by the client is ignored.
 */
export async function sniff(sample: Uint8Array, filename: string): Promise<string> {
  if (sample.length === 0) return typeByExtension(filename) ?? unknownType
  // file-type throws for files whose header refers to bytes after the sample.
  const found = await fileTypeFromBuffer(sample).catch(() => undefined)
  const magic = found?.mime ?? sniffMagic(sample)
  if (magic === 'application/zip') return officeTypeInZip(sample) ?? magic
  if (magic && magic !== 'application/xml') return magic
  const text = decodeSample(sample)
  if (text === undefined) return unknownType
  return markupType(text) ?? typeByExtension(filename) ?? 'text/plain'
}

const localFileHeader = 'PK\x03\x04'

function sniffMagic(sample: Uint8Array): string | undefined {
  const start = latin1.decode(sample.subarray(0, 4))
  if (start === localFileHeader) return 'application/zip'
  return start === 'II*\0' || start === 'MM\0*' ? 'image/tiff' : undefined
}

/** Detects office documents by the folder of their archive members, in any order. */
function officeTypeInZip(sample: Uint8Array): string | undefined {
  const names = latin1.decode(sample)
  for (let at = 0; at !== -1; at = names.indexOf(localFileHeader, at + 1)) {
    const [folder] = names.slice(at + 30, at + 40).split('/')
    const type = officeFolders.get(folder!)
    if (type) return type
  }
  return undefined
}

const latin1 = new TextDecoder('latin1')

/** Decodes the sample. Returns undefined for binary data, recognized by control characters. */
function decodeSample(sample: Uint8Array): string | undefined {
  const encoding = detectEncoding(sample)
  if (!encoding) return undefined
  // The sample may end within a character.
  const text = new TextDecoder(encoding).decode(sample, { stream: true })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters mark binary data.
  return /[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? undefined : text
}

/** Detects UTF-8, UTF-16 with a byte order mark, or GB 18030. */
export function detectEncoding(
  sample: Uint8Array,
): 'utf-8' | 'utf-16le' | 'utf-16be' | 'gb18030' | undefined {
  if (sample[0] === 0xff && sample[1] === 0xfe) return 'utf-16le'
  if (sample[0] === 0xfe && sample[1] === 0xff) return 'utf-16be'
  return (['utf-8', 'gb18030'] as const).find((encoding) => {
    try {
      new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: true })
      return true
    } catch {
      return false
    }
  })
}

/** Elements by which browsers sniff HTML, whatever the filename. */
const htmlTag =
  /<(!doctype\s+html|html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p)[\s/>]/i

function markupType(text: string): string | undefined {
  const start = text
    .replace(/^\ufeff/, '')
    .replace(/^(\s|<!--.*?-->|<\?.*?\?>|<!doctype\s+svg[^>]*>)*/is, '')
  if (/^<([\w-]+:)?svg[\s/>]/i.test(start)) return 'image/svg+xml'
  if (/^\s*<\?xml\s/.test(text) && !/^<html[\s/>]/i.test(start)) return 'application/xml'
  return start.startsWith('<') && htmlTag.test(start.slice(0, 1024)) ? 'text/html' : undefined
}

const names: [ending: RegExp, type: string][] = [
  [/\.(md|markdown)$/i, 'text/markdown'],
  [/\.csv$/i, 'text/csv'],
  [/\.html?$/i, 'text/html'],
  [/\.json$/i, 'application/json'],
  [/\.txt$/i, 'text/plain'],
]

const typeByExtension = (filename: string) => names.find(([ending]) => ending.test(filename))?.[1]
