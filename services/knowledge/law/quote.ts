const normalize = (text: string) => text.normalize('NFKC').replace(/\s+/g, '')

/** True if a text contains a quote verbatim. An ellipsis in the quote stands for omitted words. */
export function containsQuote(content: string, quote: string): boolean {
  const text = normalize(content)
  const parts = quote.split(/(?:…|\.{3,})+/).map(normalize)
  let from = 0
  for (const part of parts) {
    const at = text.indexOf(part, from)
    if (at === -1) return false
    from = at + part.length
  }
  return parts.some((part) => part !== '')
}
