import * as z from 'zod'

// biome-ignore lint/suspicious/noExplicitAny: a document whose shape OpenAPI tells, not TypeScript.
export type Json = Record<string, any>
export type SchemaOf = (schema: z.ZodType, io: 'input' | 'output') => Json

/** Where a description keeps the schemas that have a name, and how others refer to them. */
export function makeSchemas(named: Json): SchemaOf {
  const known = { input: new Map<z.ZodType, Json>(), output: new Map<z.ZodType, Json>() }
  return (schema, io) => {
    const before = known[io].get(schema)
    if (before) return before
    // Wrapped, so that a schema with a name comes out as a reference to it.
    const { properties, $defs } = z.toJSONSchema(z.object({ it: schema }), {
      io,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => plain(jsonSchema, io),
    }) as Json
    const { it } = adopt(named, $defs ?? {}, properties, io)
    known[io].set(schema, it)
    return it
  }
}

function plain(json: Json, io: 'input' | 'output') {
  // What we answer may gain members, and a client must bear that.
  if (io === 'output' && json.additionalProperties === false) delete json.additionalProperties
  // A member's name is a string in any JSON.
  const names = json.propertyNames
  if (names?.type === 'string' && Object.keys(names).length === 1) delete json.propertyNames
}

/**
 * Moves definitions among the named ones. A schema that takes something else than it gives (a default
 * is optional in a request, and always there in an answer) needs a name for each.
 */
function adopt(named: Json, definitions: Json, properties: Json, io: 'input' | 'output'): Json {
  for (let attempt = 0; ; attempt++) {
    const suffix =
      attempt === 0 ? '' : `${io === 'input' ? 'Input' : 'Output'}${attempt > 1 ? attempt : ''}`
    const nameOf = (id: string) => id.replace(/^__schema/, 'Nested') + suffix
    const moved = (json: Json): Json =>
      JSON.parse(
        JSON.stringify(json).replace(
          /"#\/\$defs\/([^"]+)"/g,
          (_, id: string) => `"#/components/schemas/${nameOf(id)}"`,
        ),
      )
    const adopted = Object.entries<Json>(definitions).map(
      ([id, definition]) => [nameOf(id), moved(definition)] as const,
    )
    const taken = adopted.some(
      ([id, definition]) => id in named && JSON.stringify(named[id]) !== JSON.stringify(definition),
    )
    if (taken) continue
    Object.assign(named, Object.fromEntries(adopted))
    return moved(properties)
  }
}
