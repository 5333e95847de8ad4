import type { Json } from './schemas.ts'

/** Keeps the visible paths and the schemas they reference. */
export function filterPaths(description: Json, include: string[], exclude: string[]): Json {
  const paths = Object.fromEntries(
    Object.entries<Json>(description.paths).filter(
      ([path]) =>
        include.some((prefix) => path.startsWith(prefix)) &&
        !exclude.some((prefix) => path.startsWith(prefix)),
    ),
  )
  const schemas = referencedSchemas(description.components.schemas, paths)
  return { ...description, paths, components: { ...description.components, schemas } }
}

function referencedSchemas(schemas: Json, paths: Json): Json {
  const found = new Set<string>()
  const follow = (json: unknown) => {
    for (const [, name] of JSON.stringify(json).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name!)) continue
      found.add(name!)
      follow(schemas[name!])
    }
  }
  follow(paths)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)))
}

/** Splits a comma-separated list. */
export const prefixes = (list: string) =>
  list
    .split(',')
    .map((prefix) => prefix.trim())
    .filter(Boolean)
