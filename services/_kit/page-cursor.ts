import * as z from 'zod'
import { invalid } from './fault.ts'
import { fragment, join, type SqlFragment } from './sql/sql.ts'

/** Column of the sort order of a list, with the alias under which the page query selects it. */
interface SortKey {
  expression: SqlFragment
  alias: SqlFragment
}

export interface SortOrder {
  keys: SortKey[]
  descending: boolean
}

/** Position after the last item of a page: the number of the next page and the sort keys of the item. */
export interface Cursor {
  page: number
  keys: { value: string; type: KeyType }[]
}

const KeyType = z.enum(['text', 'uuid', 'integer', 'bigint', 'timestamp with time zone'])
type KeyType = z.infer<typeof KeyType>

/** Parses an order such as `updated_at desc, id desc`. All keys must have the same direction. */
export function parseOrder(order: SqlFragment): SortOrder {
  const terms = order.strings
    .join('')
    .split(',')
    .map((term) => term.trim())
  const descending = terms.map((term) => / desc$/.test(term))
  if (order.values.length > 0 || new Set(descending).size > 1) {
    throw new Error(`cannot page by ${terms.join(', ')}`)
  }
  const keys = terms.map((term, index) => ({
    expression: literal(term.replace(/ (asc|desc)$/, '')),
    alias: literal(`page_key_${index}`),
  }))
  return { keys, descending: descending[0]! }
}

const literal = (text: string) => fragment([text] as unknown as TemplateStringsArray)
const list = (fragments: SqlFragment[]) =>
  join(fragments.map((each, index) => (index === 0 ? each : fragment`, ${each}`)))

/** Selects the sort keys under their aliases. */
export const selectKeys = ({ keys }: SortOrder) =>
  join(keys.map(({ expression, alias }) => fragment`, ${expression} as ${alias}`))

export const orderByKeys = ({ keys, descending }: SortOrder) =>
  list(keys.map(({ alias }) => (descending ? fragment`${alias} desc` : alias)))

/** The sort keys of a row as JSON: text and type of each. Times keep their microseconds. */
export const keysAsJson = ({ keys }: SortOrder) => fragment`
  json_build_array(${list(
    keys.map(
      ({ alias }) =>
        fragment`json_build_object('value', ${alias}::text, 'type', pg_typeof(${alias})::text)`,
    ),
  )})::text`

/** Condition for the rows after a cursor. A row comparison can use an index on the sort keys. */
export function afterCursor({ keys, descending }: SortOrder, cursor: Cursor): SqlFragment {
  if (cursor.keys.length !== keys.length) throw invalidCursor()
  const aliases = list(keys.map(({ alias }) => alias))
  const values = list(
    cursor.keys.map(({ value, type }) => fragment`${value}::text::${literal(type)}`),
  )
  return descending
    ? fragment`where (${aliases}) < (${values})`
    : fragment`where (${aliases}) > (${values})`
}

const Keys = z.array(z.object({ value: z.string().max(2_000), type: KeyType })).max(6)
const CursorSchema = z.object({ page: z.int().min(1), keys: Keys })

export const parseKeys = (json: string) => Keys.parse(JSON.parse(json))

export const encodeCursor = (cursor: Cursor) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(cursor))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

/** Decodes a cursor. Cursors are opaque but not secret: they only select a position in the list. */
export function decodeCursor(text: string): Cursor {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return CursorSchema.parse(JSON.parse(decoded))
  } catch {
    throw invalidCursor()
  }
}

export const invalidCursorMessage = 'Invalid cursor. Use next_cursor of the previous page.'
export const invalidCursor = () => invalid([{ path: 'cursor', message: invalidCursorMessage }])
