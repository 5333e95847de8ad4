import { parseNumber } from '../../text/text.ts'

/** The part of JSON Schema that descriptions of calculators use. */
export interface InputSchema {
  type: 'number' | 'integer' | 'string' | 'boolean' | 'array' | 'object'
  format?: string
  enum?: string[]
  minimum?: number
  maximum?: number
  maxItems?: number
  default?: unknown
  description?: string
  items?: InputSchema
  properties?: Record<string, InputSchema>
  required?: string[]
}

/** What a person typed: text of a control, entries of a list, or members of a group. */
export type Draft = string | Draft[] | { [name: string]: Draft }
export type DraftGroup = Record<string, Draft>

/** Faults by the path of the control: `payments.0.on`. */
export type Faults = Record<string, Fault>
export type Fault =
  | { kind: 'required' | 'number' | 'integer' | 'date' }
  | { kind: 'minimum' | 'maximum'; limit: number }
  | { kind: 'message'; message: string }

export const emptyDraft = (schema: InputSchema): Draft => {
  if (schema.type === 'array') return []
  if (schema.type !== 'object') return schema.default === undefined ? '' : String(schema.default)
  const members = Object.entries(schema.properties ?? {})
  return Object.fromEntries(members.map(([name, member]) => [name, emptyDraft(member)]))
}

/** Reads the inputs of a link. Lists and groups are JSON; whatever does not fit the schema is left out. */
export function readQuery(schema: InputSchema, query: URLSearchParams): DraftGroup {
  const draft = emptyDraft(schema) as DraftGroup
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const text = query.get(name)
    if (text === null) continue
    if (member.type !== 'array' && member.type !== 'object') draft[name] = text
    else draft[name] = toDraft(member, parseJson(text))
  }
  return draft
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toDraft(schema: InputSchema, value: unknown): Draft {
  if (schema.type === 'array') {
    return Array.isArray(value) ? value.map((each) => toDraft(schema.items!, each)) : []
  }
  if (schema.type === 'object') {
    const members = Object.entries(schema.properties ?? {})
    return Object.fromEntries(
      members.map(([name, member]) => [
        name,
        toDraft(member, (value as Record<string, unknown> | null | undefined)?.[name]),
      ]),
    )
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** The query of a link that keeps the inputs. */
export function writeQuery(draft: DraftGroup): string {
  const entries = Object.entries(draft).filter(([, value]) => !isEmpty(value))
  return new URLSearchParams(
    entries.map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString()
}

export const isEmpty = (draft: Draft): boolean =>
  typeof draft === 'string' ? draft.trim() === '' : Object.values(draft).every(isEmpty)

/** Converts a draft to the inputs of the calculator, and names every fault that the schema shows. */
export function parseDraft(schema: InputSchema, draft: DraftGroup) {
  const faults: Faults = {}
  const inputs = parseMembers(schema, draft, '', faults)
  return { inputs, faults }
}

function parseMembers(schema: InputSchema, draft: DraftGroup, prefix: string, faults: Faults) {
  const parsed: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const path = prefix + name
    const value = draft[name] ?? ''
    const isRequired = schema.required?.includes(name) ?? false
    if (isEmpty(value) && (!isRequired || member.type !== 'object')) {
      if (isRequired) faults[path] = { kind: 'required' }
      continue
    }
    parsed[name] = parseValue(member, value, path, faults)
  }
  return parsed
}

function parseValue(schema: InputSchema, draft: Draft, path: string, faults: Faults): unknown {
  if (Array.isArray(draft)) {
    return draft.map((each, index) => {
      if (typeof each === 'string' && isEmpty(each))
        faults[`${path}.${index}`] = { kind: 'required' }
      return parseValue(schema.items!, each, `${path}.${index}`, faults)
    })
  }
  if (typeof draft !== 'string') return parseMembers(schema, draft, `${path}.`, faults)
  if (schema.type === 'boolean') return draft === 'true'
  if (schema.type === 'string') {
    if (schema.format === 'date' && Number.isNaN(Date.parse(draft))) faults[path] = { kind: 'date' }
    return draft
  }
  const fault = findNumberFault(schema, draft)
  if (fault) faults[path] = fault
  return parseNumber(draft)
}

function findNumberFault(schema: InputSchema, text: string): Fault | undefined {
  const value = parseNumber(text)
  const { minimum, maximum } = schema
  if (!Number.isFinite(value)) return { kind: 'number' }
  if (schema.type === 'integer' && !Number.isInteger(value)) return { kind: 'integer' }
  if (minimum !== undefined && value < minimum) return { kind: 'minimum', limit: minimum }
  if (maximum !== undefined && value > maximum) return { kind: 'maximum', limit: maximum }
  return undefined
}
