import { storableJson, storableText } from '../storable.ts'
import { identifier, type Param, quoteElement, SqlFragment } from './sql.ts'

type ColumnType = 'int' | 'float8' | 'text' | 'uuid' | 'timestamptz' | 'jsonb'
type Columns = Record<string, ColumnType>

/** More rows than this are sent as one array for each column, so that the number of prepared statements stays small. */
const maxInlineRows = 4

/**
 * Rows as a table expression with the given alias, for `insert … select`. A few rows are sent as parameters:
 * PostgreSQL reads them in less time than arrays.
 */
export function rowSource<C extends Columns>(
  alias: string,
  columns: C,
  rows: readonly { [Key in keyof C]: unknown }[],
): SqlFragment {
  const names = Object.keys(columns)
  if (rows.length === 0 || rows.length > maxInlineRows) return arrays(alias, columns, rows)
  const strings = ['(values (']
  const values: Param[] = []
  rows.forEach((row, index) => {
    if (index > 0) strings[strings.length - 1] += '), ('
    names.forEach((name, column) => {
      if (column > 0) strings[strings.length - 1] += ', '
      const type = columns[name]!
      values.push(toParam(row[name], type))
      // The type of the parameter is text where drivers would convert the value.
      strings.push(type === 'jsonb' || type === 'timestamptz' ? `::text::${type}` : `::${type}`)
    })
  })
  strings[strings.length - 1] += `)) ${alias} (${names.map(checked).join(', ')})`
  return new SqlFragment(strings, values)
}

function arrays<C extends Columns>(
  alias: string,
  columns: C,
  rows: readonly { [Key in keyof C]: unknown }[],
): SqlFragment {
  const names = Object.keys(columns)
  const casts = names.map((name) => `::text::${columns[name]}[]`)
  const strings = ['unnest(', ...casts.slice(0, -1).map((cast) => `${cast}, `)]
  strings.push(`${casts.at(-1)}) ${alias} (${names.map(checked).join(', ')})`)
  const values = names.map((name) => `{${rows.map((row) => element(row[name], columns[name]!))}}`)
  return new SqlFragment(strings, values)
}

function element(value: unknown, type: ColumnType): string {
  const param = toParam(value, type)
  return typeof param === 'string' ? quoteElement(param) : String(param)
}

const checked = (name: string) => identifier(name).strings[0]!

function toParam(value: unknown, type: ColumnType): Param {
  if (value === null || value === undefined) return null
  if (type === 'jsonb') return storableJson(value)
  return typeof value === 'string' ? storableText(value) : (value as Param)
}
