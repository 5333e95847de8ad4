import { postgresDriver } from '../services/_kit/sql/postgres.ts'
import { startPostgres } from '../tests/support/postgres-server.ts'
import { createDatabase, versions } from './kit/postgres.ts'
import { readCorpus } from './search/corpus.ts'
import { importsTable } from './search/imports.ts'
import { fill, openKnowledge } from './search/subject.ts'
import type { Results } from './support/results.ts'

/** Compares the import rate of batch-upsert with COPY and single INSERTs. */
export async function run({ quick }: { quick: boolean }): Promise<Results> {
  const { articles } = readCorpus(quick)
  const server = await startPostgres()
  const url = await createDatabase(server.url)
  const driver = postgresDriver(url, 4)
  try {
    const rate = await fill(await openKnowledge(driver), articles)
    return {
      versions: await versions(server.url),
      tables: [await importsTable(url, articles, rate)],
    }
  } finally {
    await driver.end()
    await server.stop()
  }
}
