import * as z from 'zod'
import { celRules } from './fields.ts'
import { type CustomResource, group, version } from './resource.ts'

type Schema = { [member: string]: unknown }

/** Builds the CustomResourceDefinition of a resource. */
export function buildDefinition(resource: CustomResource) {
  const { kind, plural, singular, shortNames } = resource
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      labels: { 'app.kubernetes.io/part-of': 'legal-suite' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        shortNames,
        categories: ['legal'],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: resource.columns,
          schema: { openAPIV3Schema: rootSchema(resource) },
        },
      ],
    },
  }
}

const rootSchema = ({ description, spec, status, rules: list }: CustomResource): Schema => ({
  type: 'object',
  description,
  required: ['spec'],
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    spec: toStructuralSchema(spec),
    status: toStructuralSchema(status),
  },
  ...celRules(...list),
})

/** Converts a zod schema to a structural schema, the form that a CRD requires. */
export function toStructuralSchema(schema: z.ZodType): Schema {
  const jsonSchema = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    reused: 'inline',
    cycles: 'throw',
    unrepresentable: 'throw',
  })
  return toBoundedSchema(jsonSchema as Schema, '')
}

/** Drops keywords that a structural schema forbids and throws on unbounded strings, lists and maps. */
function toBoundedSchema(schema: Schema, path: string): Schema {
  const { $schema, $id, additionalProperties, properties, items, ...rest } = schema
  const result: Schema = { ...rest }
  if (result['x-kubernetes-preserve-unknown-fields']) return result
  if (!result.type) throw new Error(`${path}: no type; structural schemas have no unions`)
  if (result.type === 'string' && !result.enum && result.maxLength === undefined)
    throw new Error(`${path}: string without maxLength`)
  if (result.type === 'integer') {
    result.format = 'int64'
    if (result.minimum === Number.MIN_SAFE_INTEGER) delete result.minimum
    if (result.maximum === Number.MAX_SAFE_INTEGER) delete result.maximum
  }
  if (items) {
    if (result.maxItems === undefined || !result['x-kubernetes-list-type'])
      throw new Error(`${path}: list without maxItems or list type`)
    result.items = toBoundedSchema(items as Schema, `${path}[]`)
  }
  if (properties) {
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [
        name,
        toBoundedSchema(value as Schema, `${path}.${name}`),
      ]),
    )
  } else if (result.type === 'object') {
    if (typeof additionalProperties !== 'object' || result.maxProperties === undefined)
      throw new Error(`${path}: map without maxProperties`)
    result.additionalProperties = toBoundedSchema(additionalProperties as Schema, `${path}{}`)
  }
  return result
}
