import * as z from 'zod'

/**
 * The shape of a schema for a model's server. What only zod can check is left out: servers that make
 * grammars of it refuse patterns and long texts.
 */
export function plainSchema(schema: z.ZodType): object {
  return plain(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })) as object
}

const unknownToSome = new Set([
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

function plain(node: unknown, names = false): unknown {
  if (Array.isArray(node)) return node.map((each) => plain(each))
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => names || !unknownToSome.has(key))
      .map(([key, value]) => [key, plain(value, !names && key === 'properties')]),
  )
}

/** The JSON in what a model wrote: alone, in a code block, or among words. Undefined when there is none. */
export function jsonIn(text: string): unknown {
  const from = text.search(/[{[]/)
  const to = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  for (const part of [text, text.slice(Math.max(from, 0), to + 1)]) {
    try {
      return JSON.parse(part)
    } catch {}
  }
  return undefined
}
