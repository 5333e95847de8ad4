import { expect, inject, test } from 'vitest'
import { migrate } from '../_kit/sql/migrate.ts'
import { postgresDriver } from '../_kit/sql/postgres.ts'
import { makeSql } from '../_kit/sql/sql.ts'
import { waitForDatabase, waitForSchema } from './wait-for-schema.ts'

const memory = { folder: 'memory', schema: 'memory' }

/** Records the reasons and calls `onReason` for each, while the service waits. */
function recordLog(onReason: (reason: string) => void) {
  const reasons: string[] = []
  const info = (fields: object) => {
    const { reason } = fields as { reason: string }
    reasons.push(reason)
    onReason(reason)
  }
  return { reasons, log: { info } }
}

test('a service waits for its database and for its migrations, then starts', async () => {
  const name = `wait_${crypto.randomUUID().slice(0, 8)}`
  const admin = makeSql(postgresDriver(inject('postgresUrl'), 1))
  await admin.statement(`create database ${name}`)
  const url = Object.assign(new URL(inject('postgresUrl')), { pathname: name }).href
  const driver = postgresDriver(url, 2)
  let isReachable = false
  const flaky: typeof driver = {
    ...driver,
    query: (...args: Parameters<typeof driver.query>) =>
      isReachable
        ? driver.query(...args)
        : Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
  }
  const { reasons, log } = recordLog((reason) => {
    if (reason.includes('not reachable')) isReachable = true
    else void migrate(driver, memory.folder, memory.schema)
  })
  await waitForSchema(flaky, memory, log, 5)
  expect(reasons).toEqual(['The database is not reachable. Try again.', '000_kit.sql is pending'])
  await driver.end()
  await admin.statement(`drop database ${name} with (force)`)
  await admin.end()
})

test('an error that waiting does not mend ends the start', async () => {
  const driver = postgresDriver(`${inject('postgresUrl')}_missing`, 1)
  const { log } = recordLog(() => {})
  await expect(waitForSchema(driver, memory, log, 5)).rejects.toThrow('does not exist')
  await driver.end()
})

test('a migration waits for its database, but not longer than the deadline', async () => {
  const refusal = Object.assign(new Error('refused'), { code: 'EAI_AGAIN' })
  let failures = 3
  const query = async () => {
    if (failures-- > 0) throw refusal
    return []
  }
  const driver = { query } as unknown as Parameters<typeof waitForDatabase>[0]
  await waitForDatabase(driver, 60_000, 1)
  expect(failures).toBe(-1)
  failures = 1
  await expect(waitForDatabase(driver, 0, 1)).rejects.toBe(refusal)
})
