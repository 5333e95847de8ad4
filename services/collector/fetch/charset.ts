/**
 * Decodes a page by its byte order mark, the Content-Type header or its own declaration, in this order.
 * Default: UTF-8 if valid, else GB 18030.
 */
export function decodePage(bytes: Uint8Array, contentType: string | null): string {
  const charset = byteOrderMark(bytes) ?? charsetIn(contentType ?? '') ?? declaredCharset(bytes)
  if (charset) return decode(bytes, charset) ?? decode(bytes, 'utf-8')!
  return decode(bytes, 'utf-8', true) ?? decode(bytes, 'gb18030')!
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return undefined
}

const charsetIn = (text: string) => /charset\s*=\s*["']?\s*([\w-]{1,40})/i.exec(text)?.[1]

/**
 * Charset in `<meta charset>` or `<?xml encoding?>`, which are ASCII in all supported encodings.
 */
function declaredCharset(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 4_096))
  const meta = start.match(/<meta\b[^>]{0,500}>/gi)?.map(charsetIn) ?? []
  const xml = /^\s*<\?xml\b[^>]{0,200}encoding\s*=\s*["']([\w-]{1,40})/i.exec(start)?.[1]
  return meta.find((charset) => charset !== undefined) ?? xml
}

function decode(bytes: Uint8Array, charset: string, fatal = false): string | undefined {
  try {
    return new TextDecoder(charset, { fatal }).decode(bytes)
  } catch {
    return undefined
  }
}
