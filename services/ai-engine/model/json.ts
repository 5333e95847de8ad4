import * as z from 'zod'
import { toStorable } from '../../_kit/storable.ts'

const portableSchemas = new WeakMap<z.ZodType, object>()

/**
 * JSON schema for a model server, converted once per schema. Constraints that only zod checks are left out:
 * servers that compile grammars reject them.
 */
export function portableSchema(schema: z.ZodType): object {
  const known = portableSchemas.get(schema)
  if (known) return known
  const converted = strip(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })) as object
  portableSchemas.set(schema, converted)
  return converted
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

/**
 * Extracts JSON from text: alone, in a code block, or within prose. Undefined if there is none. Escapes may
 * stand for characters that cannot be stored; these are removed.
 */
export function extractJson(text: string): unknown {
  const from = text.search(/[{[]/)
  const to = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  for (const candidate of [text, text.slice(Math.max(from, 0), to + 1)]) {
    try {
      return toStorable(JSON.parse(candidate))
    } catch {}
  }
  return undefined
}
