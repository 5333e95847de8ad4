import { migrate } from '../services/_kit/sql/migrate.ts'
import { postgresDriver } from '../services/_kit/sql/postgres.ts'
import { type Driver, makeSql } from '../services/_kit/sql/sql.ts'
import { startPostgres } from '../tests/support/postgres-server.ts'
import { versions } from './kit/postgres.ts'
import { makePackages } from './seed/packages.ts'
import { open, type Recording, replay } from './seed/subject.ts'
import { formatCount, median } from './support/figures.ts'
import type { Results } from './support/results.ts'

const ways = ['bare', 'import', 'apply'] as const

/** Compares applying packages to empty bases with the import alone and with its SQL statements. */
export async function run({ quick }: { quick: boolean }): Promise<Results> {
  const rounds = quick ? 1 : 5
  const packages = makePackages(
    quick ? { elements: 200, documents: 10 } : { elements: 5_000, documents: 250 },
  )
  const server = await startPostgres({ durable: true })
  try {
    const fresh = await template(server.url)
    const rows: string[][] = []
    for (const name of ['structured', 'documents'] as const) {
      const recording = await fresh((driver) => open(driver, packages.directory).record(name))
      const times = { bare: [] as number[], import: [] as number[], apply: [] as number[] }
      for (let round = 0; round <= rounds; round++) {
        for (const way of ways) {
          const ms = await fresh((driver) =>
            measureImport(driver, packages.directory, name, way, recording),
          )
          if (round > 0) times[way].push(ms)
        }
      }
      const rate = (way: (typeof ways)[number]) => (packages.rows[name] / median(times[way])) * 1000
      const statements = recording.flat().length
      rows.push([
        name,
        formatCount(packages.rows[name]),
        String(statements),
        ...ways.map((way) => formatCount(rate(way))),
        (rate('import') / rate('bare')).toFixed(2),
        (rate('apply') / rate('bare')).toFixed(2),
      ])
    }
    return {
      versions: await versions(server.url),
      tables: [
        {
          title: 'Rows imported per second',
          head: [
            ...['package', 'rows', 'statements', 'bare SQL', 'import alone', 'apply'],
            ...['import to bare', 'apply to bare'],
          ],
          rows,
          notes: [
            'Structured: litigation elements. Documents: statutes; a row is an article. Apply measures collector-service from reading the package to the last record: validation, dry run, import and persisted progress. Import alone sends the same request directly to knowledge-service. Bare SQL replays the recorded statements of that import, without parsing, chunking or tokenizing. Each round starts with an empty base; commits are flushed to disk.',
            `Median of ${rounds} alternating rounds after one warm-up round.`,
          ],
        },
      ],
    }
  } finally {
    packages.drop()
    await server.stop()
  }
}

async function measureImport(
  driver: Driver,
  directory: string,
  name: string,
  way: (typeof ways)[number],
  recording: Recording,
): Promise<number> {
  const subject = open(driver, directory)
  const startedAt = performance.now()
  if (way === 'bare') await replay(driver, recording)
  else await subject[way](name)
  return performance.now() - startedAt
}

/** Runs work on a new database with both schemas and no rows. */
async function template(url: string) {
  const admin = makeSql(postgresDriver(url, 1))
  const at = (name: string) => Object.assign(new URL(url), { pathname: name }).href
  await admin.statement('create database bench_template')
  const templateDriver = postgresDriver(at('bench_template'), 1)
  for (const folder of ['collector', 'knowledge']) await migrate(templateDriver, folder, folder)
  await templateDriver.end()
  let databases = 0
  return async <T>(work: (driver: Driver) => Promise<T>): Promise<T> => {
    const name = `bench_${++databases}`
    await admin.statement(`create database ${name} template bench_template`)
    const driver = postgresDriver(at(name), 10)
    try {
      return await work(driver)
    } finally {
      await driver.end()
      await admin.statement(`drop database ${name}`)
    }
  }
}
