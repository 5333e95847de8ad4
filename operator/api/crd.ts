import * as z from 'zod'
import { rules } from './fields.ts'
import { group, type Resource, version } from './resource.ts'

type Schema = { [member: string]: unknown }

/** The definition of a resource as the cluster takes it. */
export function definition(resource: Resource) {
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
          schema: { openAPIV3Schema: schemaOf(resource) },
        },
      ],
    },
  }
}

const schemaOf = ({ description, spec, status, rules: list }: Resource): Schema => ({
  type: 'object',
  description,
  required: ['spec'],
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    spec: structural(spec),
    status: structural(status),
  },
  ...rules(...list),
})

/** A zod schema as a structural one, which is what the cluster asks for. */
export function structural(schema: z.ZodType): Schema {
  const made = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    reused: 'inline',
    cycles: 'throw',
    unrepresentable: 'throw',
  })
  return bounded(made as Schema, '')
}

/** Drops what a structural schema may not say, and refuses what is not bounded. */
function bounded(schema: Schema, path: string): Schema {
  const { $schema, $id, additionalProperties, properties, items, ...rest } = schema
  const kept: Schema = { ...rest }
  if (!kept.type) throw new Error(`${path}: has no type; a union can't be told to the cluster`)
  if (kept.type === 'string' && !kept.enum && kept.maxLength === undefined)
    throw new Error(`${path}: a string without maxLength`)
  if (kept.type === 'integer') {
    kept.format = 'int64'
    if (kept.minimum === Number.MIN_SAFE_INTEGER) delete kept.minimum
    if (kept.maximum === Number.MAX_SAFE_INTEGER) delete kept.maximum
  }
  if (items) {
    if (kept.maxItems === undefined || !kept['x-kubernetes-list-type'])
      throw new Error(`${path}: a list without maxItems or list type`)
    kept.items = bounded(items as Schema, `${path}[]`)
  }
  if (properties) {
    kept.properties = Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [
        name,
        bounded(value as Schema, `${path}.${name}`),
      ]),
    )
  } else if (kept.type === 'object') {
    if (typeof additionalProperties !== 'object' || kept.maxProperties === undefined)
      throw new Error(`${path}: a map without maxProperties`)
    kept.additionalProperties = bounded(additionalProperties as Schema, `${path}{}`)
  }
  return kept
}
