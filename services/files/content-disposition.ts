/** What a browser shows as a picture or a document, and never runs. */
const inlineTypes = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
])

/** Content-Disposition of RFC 6266: the name in ASCII for the old, and in full. */
export function contentDisposition(filename: string, contentType: string): string {
  const ascii = filename.replace(/[^ !#-[\]-~]|%/g, '_')
  const full = encodeURIComponent(filename).replace(/['()*]/g, percentEncode)
  return `${inlineTypes.has(contentType) ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${full}`
}

const percentEncode = (character: string) =>
  `%${character.charCodeAt(0).toString(16).toUpperCase()}`
