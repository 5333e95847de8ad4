import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newDatabase } from '../../../tests/support/databases.ts'
import { rowSource } from './row-source.ts'
import { makeSql, type Sql } from './sql.ts'

const databases: { on: 'pglite' | 'postgres'; sql: Sql; drop(): Promise<void> }[] = []
beforeAll(async () => {
  for (const on of ['pglite', 'postgres'] as const) {
    const { driver, drop } = await newDatabase(on)
    databases.push({ on, sql: makeSql(driver), drop })
  }
})
afterAll(async () => {
  for (const { drop } of databases) await drop()
})

const columns = {
  n: 'int',
  ratio: 'float8',
  word: 'text',
  id: 'uuid',
  at: 'timestamptz',
  body: 'jsonb',
} as const
const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''))
const row = fc.record({
  ratio: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e100, max: 1e100 }),
  word: fc.option(text),
  id: fc.uuid(),
  at: fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms).toISOString()),
  body: fc.option(fc.dictionary(text, fc.oneof(text, fc.boolean(), fc.constant(null)))),
})

test.each(['pglite', 'postgres'])(
  'few and many rows arrive as they were sent, on %s',
  async (on) => {
    const { sql } = databases.find((each) => each.on === on)!
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 7 }), async (generated) => {
        const rows = generated.map((each, n) => ({ n, ...each, ratio: each.ratio + 0 }))
        const stored = await sql`
          select made.n, made.ratio, made.word, made.id::text, made.at, made.body
          from ${rowSource('made', columns, rows)} order by made.n`
        expect(stored).toEqual(rows)
      }),
      { numRuns: 60 },
    )
  },
)
