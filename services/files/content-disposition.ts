/** Content types that browsers display without executing scripts. */
const inlineTypes = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
])

/** Builds Content-Disposition by RFC 6266 with an ASCII fallback and the full UTF-8 filename. */
export function contentDisposition(filename: string, contentType: string): string {
  const ascii = filename.replace(/[^ !#-[\]-~]|%/g, '_')
  const full = encodeURIComponent(filename).replace(/['()*]/g, percentEncode)
  return `${inlineTypes.has(contentType) ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${full}`
}

const percentEncode = (character: string) =>
  `%${character.charCodeAt(0).toString(16).toUpperCase()}`
