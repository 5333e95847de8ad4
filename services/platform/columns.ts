import { fragment, identifier, join, json, type Param, type SqlFragment } from '../_kit/sql/sql.ts'

/** The schema of a body strips unknown members, so the member names are column names. */
export const columnNames = (body: object) => commaSeparated(Object.keys(body).map(identifier))

/** Values of a body in the order of `columnNames`. The columns in `jsonColumns` are stored as JSON. */
export const columnValues = (body: object, jsonColumns: readonly string[] = []) =>
  commaSeparated(
    Object.entries(body).map(([column, value]: [string, unknown]) =>
      jsonColumns.includes(column) ? json(value) : fragment`${value as Param}`,
    ),
  )

const commaSeparated = (list: SqlFragment[]) =>
  join(list.map((each, index) => (index === 0 ? each : fragment`, ${each}`)))
