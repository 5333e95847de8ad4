import * as z from 'zod'
import { JsonObject } from '../../_kit/fields.ts'
import { ScimError } from './respond.ts'

type Resource = Record<string, unknown>

export const PatchRequest = z.object({
  Operations: z
    .array(
      z.object({
        op: z
          .string()
          .transform((op) => op.toLowerCase())
          .pipe(z.enum(['add', 'replace', 'remove'])),
        path: z.string().max(500).optional(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(1_000),
})
/** The schema of a PATCH in the API description. A violation is an error of SCIM, not a fault. */
export const DescribedPatch = JsonObject.meta({
  required: ['Operations'],
  properties: {
    Operations: {
      type: 'array',
      minItems: 1,
      maxItems: 1_000,
      items: {
        type: 'object',
        required: ['op'],
        properties: {
          op: { type: 'string', enum: ['add', 'replace', 'remove'] },
          path: { type: 'string', maxLength: 500 },
        },
      },
    },
  },
})

type Operation = z.output<typeof PatchRequest>['Operations'][number]

/** `attribute`, `attribute.sub`, `attribute[sub eq "x"]` or `attribute[sub eq "x"].sub`. */
const pathPattern = /^(\w+)(?:\[(\w+)\s+eq\s+"([^"]*)"\])?(?:\.(\w+))?$/
const reserved = new Set(['__proto__', 'constructor', 'prototype', 'id', 'meta', 'schemas'])

/** Applies the operations of a PATCH (RFC 7644, 3.5.2) to a copy of a resource. */
export function applyPatch(resource: Resource, operations: readonly Operation[]): Resource {
  const copy = structuredClone(resource)
  for (const operation of operations) {
    if (operation.path === undefined) applyMembers(copy, operation)
    else applyAt(copy, operation, withoutSchema(operation.path))
  }
  return copy
}

/** An operation without a path holds the attributes in its value. */
function applyMembers(resource: Resource, { op, value }: Operation) {
  if (op === 'remove' || value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new ScimError(400, 'An operation without path needs an object as value.', 'noTarget')
  }
  for (const [path, member] of Object.entries(value)) {
    applyAt(resource, { op, path, value: member }, withoutSchema(path))
  }
}

/** Attributes of extensions carry the URN of their schema; the suite stores them without. */
const withoutSchema = (path: string) => path.replace(/^urn:[\w:.-]+:(?=\w+$)/, '')

function applyAt(resource: Resource, { op, value }: Operation, path: string) {
  const match = pathPattern.exec(path)
  if (!match) throw new ScimError(400, `Unsupported path ${path}.`, 'invalidPath')
  const [, attribute, key, wanted, sub] = match as unknown as string[]
  if (reserved.has(attribute!) || (sub !== undefined && reserved.has(sub))) return
  if (key !== undefined) return applyToItems(resource, attribute!, key, wanted!, sub, op, value)
  const holder = sub === undefined ? resource : memberObject(resource, attribute!)
  const name = sub ?? attribute!
  if (op === 'remove') return removeMember(holder, name, value)
  const existing = holder[name]
  holder[name] =
    op === 'add' && Array.isArray(existing)
      ? [...existing, ...(Array.isArray(value) ? value : [value])]
      : value
}

function removeMember(holder: Resource, name: string, value: unknown) {
  const existing = holder[name]
  if (!Array.isArray(value) || !Array.isArray(existing)) {
    delete holder[name]
    return
  }
  const removed = new Set(value.map((item) => (item as { value?: unknown } | null)?.value))
  holder[name] = existing.filter((item) => !removed.has((item as { value?: unknown }).value))
}

function memberObject(resource: Resource, name: string): Resource {
  const existing = resource[name]
  if (existing !== null && typeof existing === 'object' && !Array.isArray(existing)) {
    return existing as Resource
  }
  const created: Resource = {}
  resource[name] = created
  return created
}

function applyToItems(
  resource: Resource,
  attribute: string,
  key: string,
  wanted: string,
  sub: string | undefined,
  op: Operation['op'],
  value: unknown,
) {
  const items = Array.isArray(resource[attribute]) ? (resource[attribute] as Resource[]) : []
  const matches = (item: Resource) => String(item[key]) === wanted
  if (op === 'remove' && sub === undefined) {
    resource[attribute] = items.filter((item) => !matches(item))
    return
  }
  const found = items.find(matches)
  const item = found ?? { [key]: wanted }
  if (!found) items.push(item)
  if (sub === undefined) Object.assign(item, value)
  else if (op === 'remove') delete item[sub]
  else item[sub] = value
  resource[attribute] = items
}
