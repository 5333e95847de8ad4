import * as z from 'zod'

// biome-ignore lint/suspicious/noExplicitAny: OpenAPI defines the shape of the document, not TypeScript.
export type Json = Record<string, any>
export type SchemaBuilder = (schema: z.ZodType, io: 'input' | 'output') => Json

/** Collects named schemas and returns references to them. */
export function makeSchemas(named: Json): SchemaBuilder {
  const references = { input: new Map<z.ZodType, Json>(), output: new Map<z.ZodType, Json>() }
  return (schema, io) => {
    const before = references[io].get(schema)
    if (before) return before
    // Wrapped, so that a named schema becomes a reference.
    const { properties, $defs } = z.toJSONSchema(z.object({ it: schema }), {
      io,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => plain(jsonSchema, io),
    }) as Json
    const { it } = adopt(named, $defs ?? {}, properties, io)
    references[io].set(schema, it)
    return it
  }
}

function plain(json: Json, io: 'input' | 'output') {
  // Responses may gain members in later versions.
  if (io === 'output' && json.additionalProperties === false) delete json.additionalProperties
  // Member names are always strings in JSON.
  const names = json.propertyNames
  if (names?.type === 'string' && Object.keys(names).length === 1) delete json.propertyNames
}

/**
 * Adds definitions to the named schemas. A schema whose input and output differ (a member with a
 * default is optional in a request and always present in a response) gets one name for each.
 */
function adopt(named: Json, definitions: Json, properties: Json, io: 'input' | 'output'): Json {
  for (let attempt = 0; ; attempt++) {
    const suffix =
      attempt === 0 ? '' : `${io === 'input' ? 'Input' : 'Output'}${attempt > 1 ? attempt : ''}`
    const schemaName = (id: string) => id.replace(/^__schema/, 'Nested') + suffix
    const rewriteRefs = (json: Json): Json =>
      JSON.parse(
        JSON.stringify(json).replace(
          /"#\/\$defs\/([^"]+)"/g,
          (_, id: string) => `"#/components/schemas/${schemaName(id)}"`,
        ),
      )
    const adopted = Object.entries<Json>(definitions).map(
      ([id, definition]) => [schemaName(id), rewriteRefs(definition)] as const,
    )
    const isTaken = adopted.some(
      ([id, definition]) => id in named && JSON.stringify(named[id]) !== JSON.stringify(definition),
    )
    if (isTaken) continue
    Object.assign(named, Object.fromEntries(adopted))
    return rewriteRefs(properties)
  }
}
