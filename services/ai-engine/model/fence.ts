/** Marks untrusted text for a model. The text cannot close the fence. */
export function fenceData(name: string, text: string): string {
  return `<data name="${name}">\n${text.replace(/<(?=\/?data\b)/gi, '‹')}\n</data>`
}

/** Marks JSON for a model and limits its size. */
export function fencedJson(name: string, value: unknown, maxLength = 16_000): string {
  const text = JSON.stringify(value) ?? 'null'
  return fenceData(
    name,
    text.length <= maxLength
      ? text
      : JSON.stringify({ truncated: true, text: text.slice(0, maxLength) }),
  )
}
