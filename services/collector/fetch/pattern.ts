/**
 * Matches a URL against a pattern with `*` as wildcard. A pattern that starts with `/` matches path and query
 * only.
 */
export function matchesPattern(url: URL, pattern: string): boolean {
  const text = pattern.startsWith('/') ? url.pathname + url.search : url.href
  const [first, ...rest] = pattern.split('*')
  if (rest.length === 0) return text === first
  if (!text.startsWith(first!)) return false
  const last = rest.pop()!
  let at = first!.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

export const isIncluded = (url: URL, include: readonly string[], exclude: readonly string[]) =>
  (include.length === 0 || include.some((pattern) => matchesPattern(url, pattern))) &&
  !exclude.some((pattern) => matchesPattern(url, pattern))
