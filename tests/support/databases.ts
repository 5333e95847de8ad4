import { readFileSync } from 'node:fs'
import { inject } from 'vitest'
import { openPglite, pgliteDriver } from '../../services/_kit/sql/pglite.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import { type MigrationDriver, makeSql } from '../../services/_kit/sql/sql.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Server with the database `legal_template` that has the schema of every service. */
    postgresUrl: string
    /** File with the same schemas as a dump of the embedded database. */
    pgliteDump: string
  }
}

export interface Database {
  driver: MigrationDriver
  /** Connection URL for other processes; empty for the embedded database. */
  url: string
  drop(): Promise<void>
}

/** Creates a database with the schemas of all services. */
export const newDatabase = (on: 'pglite' | 'postgres'): Promise<Database> =>
  on === 'pglite' ? newPglite() : newPostgres()

async function newPglite(): Promise<Database> {
  const dump = new Blob([new Uint8Array(readFileSync(inject('pgliteDump')))])
  const db = await openPglite(undefined, dump)
  const driver = pgliteDriver(db)
  return { driver, url: '', drop: () => db.close() }
}

async function newPostgres(): Promise<Database> {
  const server = inject('postgresUrl')
  const admin = makeSql(postgresDriver(server, 1))
  const database = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await admin.statement(`create database ${database} template legal_template`)
  const url = Object.assign(new URL(server), { pathname: database }).href
  const driver = postgresDriver(url, 20)
  return {
    driver,
    url,
    async drop() {
      await driver.end()
      await admin.statement(`drop database ${database} with (force)`)
      await admin.end()
    },
  }
}
