import { readFileSync } from 'node:fs'
import { inject } from 'vitest'
import { openPglite, pgliteDriver } from '../../services/_kit/sql/pglite.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import { type Driver, makeSql } from '../../services/_kit/sql/sql.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A server with a database `legal_template` that holds every service's schema. */
    postgresUrl: string
    /** A file: the same, as an embedded database. */
    pgliteDump: string
  }
}

export interface Database {
  driver: Driver
  /** Where a process of its own reaches it; empty for the embedded one. */
  url: string
  drop(): Promise<void>
}

/** A new database with every schema in it. */
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
