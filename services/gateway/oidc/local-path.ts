const base = 'http://gateway.invalid'
const maxLength = 2_000

/** Returns the path of the gateway that a `return_to` names, or `/` for any other address. */
export function localPath(returnTo: string | undefined): string {
  // Browsers read a backslash as a slash, and drop tabs and line ends.
  if (!returnTo || returnTo.length > maxLength) return '/'
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(returnTo) || returnTo.includes('\\')) return '/'
  try {
    const { origin, pathname, search, hash } = new URL(returnTo, base)
    // Dot segments may leave a path that starts with two slashes.
    return origin === base && !pathname.startsWith('//') ? pathname + search + hash : '/'
  } catch {
    return '/'
  }
}
