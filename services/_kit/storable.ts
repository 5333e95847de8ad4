/** JSON escapes of NUL and of lone surrogates, as `JSON.stringify` writes them. May match other text too. */
const suspicious = /\\u(?:0000|d[89a-f])/

/** JSON text that PostgreSQL accepts as jsonb: NUL characters are dropped, lone surrogates replaced. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value ?? null)
  return suspicious.test(text) ? JSON.stringify(toStorable(JSON.parse(text))) : text
}

/** Text that PostgreSQL stores unchanged: without NUL, and without lone surrogates. */
export const storableText = (text: string): string =>
  (text.includes('\0') ? text.replaceAll('\0', '') : text).toWellFormed()

/** Returns the value with storable texts and member names. A value that is storable is returned as is. */
export function toStorable<T>(value: T): T {
  return convert(value) as T
}

function convert(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const list = value.map(convert)
    return list.some((each, index) => each !== value[index]) ? list : value
  }
  const before = Object.entries(value)
  const members = before.map(([name, member]) => [storableText(name), convert(member)] as const)
  const same = members.every(
    ([name, member], index) => name === before[index]![0] && member === before[index]![1],
  )
  return same ? value : Object.fromEntries(members)
}
