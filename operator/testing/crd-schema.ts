import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { KubeObject } from '../runtime/objects.ts'

type Schema = {
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  'x-kubernetes-int-or-string'?: boolean
  'x-kubernetes-preserve-unknown-fields'?: boolean
  [keyword: string]: unknown
}

/** Kinds of optional APIs whose schemas are in `crd-schemas`. */
export const schemaKinds = ['Cluster', 'HTTPRoute', 'PrometheusRule', 'ServiceMonitor']

const ajv = new Ajv({ strict: false, allErrors: true })
addFormats.default(ajv)
const validators = new Map<string, ValidateFunction>()

/** Returns the violations of the CRD schema, unknown fields included. CEL rules are not evaluated. */
export function schemaViolations(object: KubeObject): string[] {
  const validate = validators.get(object.kind) ?? compile(object.kind)
  validators.set(object.kind, validate)
  validate(object)
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

function compile(kind: string): ValidateFunction {
  const file = new URL(`crd-schemas/${kind}.json`, import.meta.url)
  const schema = JSON.parse(readFileSync(file, 'utf8')) as Schema
  const { metadata: _, ...properties } = schema.properties!
  const closed = closeObjects({ ...schema, properties })
  return ajv.compile({ ...closed, properties: { ...(closed.properties as object), metadata: {} } })
}

/** Forbids the fields that the API server would prune. */
function closeObjects(schema: Schema): Schema {
  const { properties, additionalProperties, items, ...rest } = schema
  if (rest['x-kubernetes-int-or-string'])
    return { anyOf: [{ type: 'integer' }, { type: 'string' }] }
  // Go accepts a flag inside of a pattern, JavaScript only for a group.
  const pattern = rest.pattern as string | undefined
  const isOpen = rest['x-kubernetes-preserve-unknown-fields'] || !properties
  return {
    ...rest,
    ...(pattern && { pattern: pattern.replace(/^\^\(\?i\)(.*)\$$/, '^(?i:$1)$') }),
    ...(items && { items: closeObjects(items) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: closeObjects(additionalProperties) }
      : !isOpen && { additionalProperties: false }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, closeObjects(property)]),
      ),
    }),
  }
}
