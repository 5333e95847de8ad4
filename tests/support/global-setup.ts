import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../services/_kit/sql/migrate.ts'
import { openPglite, pgliteDriver } from '../../services/_kit/sql/pglite.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import { type MigrationDriver, makeSql } from '../../services/_kit/sql/sql.ts'
import { suite } from '../../services/_run/services.ts'
import { startPostgres } from './postgres-server.ts'

/** Creates the template databases that each test file copies: one on PostgreSQL, one embedded. */
export default async function setup(project: TestProject) {
  const [server, dump] = await Promise.all([postgresTemplate(), pgliteTemplate()])
  project.provide('postgresUrl', server.url)
  project.provide('pgliteDump', dump.file)
  return async () => {
    dump.remove()
    await server.stop()
  }
}

async function postgresTemplate() {
  const databaseUrl = process.env.TEST_DATABASE_URL
  const server = databaseUrl ? { url: databaseUrl, stop: async () => {} } : await startPostgres()
  const admin = makeSql(postgresDriver(server.url, 1))
  await admin.statement('drop database if exists legal_template with (force)')
  await admin.statement('create database legal_template')
  await admin.end()
  const driver = postgresDriver(
    Object.assign(new URL(server.url), { pathname: 'legal_template' }).href,
    1,
  )
  await migrateAll(driver)
  await driver.end()
  return server
}

async function pgliteTemplate() {
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-pglite-'))
  const file = join(directory, 'template.tar')
  const db = await openPglite(undefined)
  await migrateAll(pgliteDriver(db))
  writeFileSync(file, new Uint8Array(await (await db.dumpDataDir('none')).arrayBuffer()))
  await db.close()
  return { file, remove: () => rmSync(directory, { recursive: true, force: true }) }
}

async function migrateAll(driver: MigrationDriver) {
  for (const { folder, schema } of suite) await migrate(driver, folder, schema)
}
