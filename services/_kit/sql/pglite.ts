import { PGlite, types } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { type Driver, type MigrationDriver, timeFromText } from './sql.ts'

const parsers = {
  [types.TIMESTAMPTZ]: timeFromText,
  [types.TIMESTAMP]: timeFromText,
  [types.DATE]: (text: string) => text,
  [types.INT8]: Number,
}

/**
 * Embedded PostgreSQL with a single session for the process. A query outside an open transaction blocks
 * until the transaction ends, so a transaction must not call another service.
 */
export function pgliteDriver(db: PGlite): MigrationDriver {
  const query: Driver['query'] = async (text, params) =>
    (await db.query<Record<string, unknown>>(text, params)).rows
  return {
    query,
    session: (work) => work(query),
    transaction: (work) =>
      db.transaction((tx) =>
        work(async (text, params) => (await tx.query<Record<string, unknown>>(text, params)).rows),
      ),
    end: async () => {},
  }
}

export const openPglite = (directory: string | undefined, from?: Blob) =>
  PGlite.create({
    parsers,
    extensions: { vector },
    ...(directory === undefined ? {} : { dataDir: directory }),
    ...(from === undefined ? {} : { loadDataDir: from }),
  })
