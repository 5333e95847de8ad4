type Schema = Record<string, any>

/**
 * Builds JSON bodies from the schema of an API description: one with every described member, one with the
 * required members, and the given example. A member whose name is in `values` gets that value, so that a
 * body refers to existing records. An object with alternatives gives a body for each.
 */
export function sampleBodies(
  schema: Schema,
  document: Schema,
  values: Record<string, unknown>,
  example?: Record<string, unknown>,
): unknown[] {
  const full = sample(schema, document, values, 0)
  if (!schema.properties) return [full]
  const exampleValues = Object.entries(values).filter(([name]) => example && name in example)
  const required = pick(full as object, schema.required ?? [])
  const bodies = [
    full,
    required,
    ...(example ? [{ ...example, ...Object.fromEntries(exampleValues) }] : []),
  ]
  const alternatives: Schema[] = schema.oneOf ?? []
  if (alternatives.length === 0) return bodies
  return alternatives.flatMap((alternative) => {
    const excluded: string[] = alternative.not?.required ?? []
    const members = Object.keys(schema.properties).filter((name) => !excluded.includes(name))
    return [pick(full as object, members), pick(full as object, alternative.required ?? [])]
  })
}

const pick = (body: object, names: string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)))

const maxDepth = 6

function sample(
  reference: Schema,
  document: Schema,
  values: Record<string, unknown>,
  depth: number,
): unknown {
  const schema = resolve(reference, document)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const choices: Schema[] | undefined = schema.properties
    ? undefined
    : (schema.anyOf ?? schema.oneOf)
  if (choices) {
    const choice = choices.find((each) => resolve(each, document).type !== 'null') ?? choices[0]!
    return sample(choice, document, values, depth)
  }
  if (schema.allOf) {
    return Object.assign(
      {},
      ...schema.allOf.map((each: Schema) => sample(each, document, values, depth)),
    )
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') return sampleObject(schema, document, values, depth)
  if (type === 'array') {
    if (depth >= maxDepth || !schema.items) return []
    return [sample(schema.items, document, values, depth + 1)]
  }
  if (type === 'string') return sampleString(schema)
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  if (type === 'boolean') return false
  return 'theirs'
}

function sampleObject(
  schema: Schema,
  document: Schema,
  values: Record<string, unknown>,
  depth: number,
): Record<string, unknown> {
  const required: string[] = schema.required ?? []
  const members = Object.entries<Schema>(schema.properties ?? {})
    .filter(([name]) => depth < maxDepth || required.includes(name))
    .map(([name, member]): [string, unknown] => {
      const value = values[name]
      if (value === undefined) return [name, sample(member, document, values, depth + 1)]
      const isList = resolve(member, document).type === 'array' && !Array.isArray(value)
      return [name, isList ? [value] : value]
    })
  return Object.fromEntries(members)
}

function sampleString({ format, minLength = 0, maxLength = 1_000 }: Schema): string {
  if (format === 'uuid') return '0190b8f4-0000-7000-8000-00000000ffff'
  if (format === 'date-time') return '2026-01-01T00:00:00.000Z'
  if (format === 'date') return '2026-01-01'
  if (format === 'uri') return 'http://example.org/'
  return 'theirs'.padEnd(minLength, 'x').slice(0, maxLength)
}

function resolve(schema: Schema, document: Schema): Schema {
  if (typeof schema.$ref !== 'string') return schema
  const target = schema.$ref
    .replace(/^#\//, '')
    .split('/')
    .reduce((node: any, name: string) => node[name], document)
  return resolve(target, document)
}
