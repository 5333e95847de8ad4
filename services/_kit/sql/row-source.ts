import { storableJson, storableText } from '../storable.ts'
import { fragment, identifier, json, type Param, SqlFragment } from './sql.ts'

type ColumnType = 'int' | 'float8' | 'text' | 'uuid' | 'timestamptz' | 'jsonb'
type Columns = Record<string, ColumnType>

/** More rows than this are sent as one document, so that the number of prepared statements stays small. */
const maxInlineRows = 4

/**
 * Rows as a table expression with the given alias, for `insert … select`. A few rows are sent as parameters:
 * PostgreSQL reads them in a fraction of the time of a JSON document.
 */
export function rowSource<C extends Columns>(
  alias: string,
  columns: C,
  rows: readonly { [Key in keyof C]: unknown }[],
): SqlFragment {
  const names = Object.keys(columns)
  if (rows.length === 0 || rows.length > maxInlineRows) {
    const list = names.map((name) => `${checked(name)} ${columns[name]}`).join(', ')
    return fragment`jsonb_to_recordset(${json(rows)}) ${identifier(alias)} (${new SqlFragment([list], [])})`
  }
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

const checked = (name: string) => identifier(name).strings[0]!

function toParam(value: unknown, type: ColumnType): Param {
  if (value === null || value === undefined) return null
  if (type === 'jsonb') return storableJson(value)
  return typeof value === 'string' ? storableText(value) : (value as Param)
}
