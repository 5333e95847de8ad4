/** Text that others wrote, for a model to read: the fence can't be closed from within. */
export function fenced(name: string, text: string): string {
  return `<data name="${name}">\n${text.replace(/<(?=\/?data\b)/gi, '‹')}\n</data>`
}

/** JSON for a model to read, of a bounded size. */
export function fencedJson(name: string, value: unknown, maxLength = 16_000): string {
  const text = JSON.stringify(value) ?? 'null'
  return fenced(
    name,
    text.length <= maxLength
      ? text
      : JSON.stringify({ truncated: true, text: text.slice(0, maxLength) }),
  )
}
