import * as z from 'zod'

/**
 * The shape of a schema for a model's server. What only zod can check is left out: servers that make
 * grammars of it refuse patterns and long texts.
 */
export function portableSchema(schema: z.ZodType): object {
  return strip(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })) as object
}

const unsupportedKeywords = new Set([
  '$schema',
  'default',
  'format',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'pattern',
])

function strip(node: unknown, names = false): unknown {
  if (Array.isArray(node)) return node.map((each) => strip(each))
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => names || !unsupportedKeywords.has(key))
      .map(([key, value]) => [key, strip(value, !names && key === 'properties')]),
  )
}

/** The JSON in what a model wrote: alone, in a code block, or among words. Undefined when there is none. */
export function extractJson(text: string): unknown {
  const from = text.search(/[{[]/)
  const to = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  for (const candidate of [text, text.slice(Math.max(from, 0), to + 1)]) {
    try {
      return JSON.parse(candidate)
    } catch {}
  }
  return undefined
}
