import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPglite, pgliteDriver } from '../services/_kit/sql/pglite.ts'
import { postgresDriver } from '../services/_kit/sql/postgres.ts'
import { startPostgres } from '../tests/support/postgres-server.ts'
import { createDatabase, versions } from './kit/postgres.ts'
import { analysis } from './matter/analysis.ts'
import { open, replay, type Statement, type Subject, statementsFor } from './matter/subject.ts'
import { formatCount, median } from './support/figures.ts'
import type { Results } from './support/results.ts'

const concurrency = 8

interface Size {
  rounds: number
  /** Syncs in a round. */
  syncs: number
}

/** Compares sync/all of a complete analysis with its bare SQL statements. */
export async function run({ quick }: { quick: boolean }): Promise<Results> {
  const size = quick ? { rounds: 2, syncs: 40 } : { rounds: 5, syncs: 200 }
  const server = await startPostgres({ durable: true })
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-bench-'))
  const embedded = await openPglite(directory)
  try {
    const postgres = await open(postgresDriver(await createDatabase(server.url), 10))
    const rows = [
      ...(await compare('PostgreSQL', postgres, size)),
      ...(await compare('the embedded database', await open(pgliteDriver(embedded)), size)),
    ]
    await postgres.driver.end()
    const bytes = JSON.stringify(analysis(1)).length
    return {
      versions: await versions(server.url),
      tables: [
        {
          title: 'sync/all of a full analysis, syncs per second',
          head: ['database', 'sync', 'statements', 'bare SQL', 'matter-service', 'ratio'],
          rows,
          notes: [
            `20 todos, 5 phases, 10 deliverables, 40 facts, profile and data sections: ${formatCount(bytes)} characters of JSON. matter-service handles requests in this process (validation, merges, parsed rows, events, the job for memory-service). Bare SQL replays the recorded statements with the same values for other matters, one transaction per sync on the same pool. PostgreSQL flushes each commit to disk.`,
            `${concurrency} concurrent syncs, each with its own matter; median of ${size.rounds} alternating rounds of ${size.syncs} syncs.`,
          ],
        },
      ],
    }
  } finally {
    await embedded.close()
    rmSync(directory, { recursive: true, force: true })
    await server.stop()
  }
}

/** Measures three syncs: the first of a matter, one that changes everything, and a repetition. */
async function compare(name: string, subject: Subject, size: Size): Promise<string[][]> {
  const [first, second] = [JSON.stringify(analysis(1)), JSON.stringify(analysis(2))]
  const bodies = [first, second, second]
  const template = await subject.make()
  const recorded: Statement[][] = []
  for (const body of bodies) recorded.push(await subject.record(template, body))

  const rates = bodies.map(() => ({ full: [] as number[], bare: [] as number[] }))
  for (let round = 0; round <= size.rounds; round++) {
    for (const kind of ['bare', 'full'] as const) {
      const ids = await Promise.all(Array.from({ length: size.syncs }, subject.make))
      for (const [step, body] of bodies.entries()) {
        const lists = ids.map((id) => statementsFor(recorded[step]!, template, id))
        const rate = await perSecond(ids, (id, index) =>
          kind === 'full' ? subject.sync(id, body) : replay(subject.driver, lists[index]!),
        )
        if (round > 0) rates[step]![kind].push(rate)
      }
    }
  }
  return ['first sync', 'sync that changes everything', 'repeated sync'].map((what, step) => {
    const { full, bare } = rates[step]!
    const statements = String(recorded[step]!.length)
    const ratio = (median(full) / median(bare)).toFixed(2)
    return [name, what, statements, formatCount(median(bare)), formatCount(median(full)), ratio]
  })
}

async function perSecond(ids: string[], work: (id: string, index: number) => Promise<unknown>) {
  const startedAt = performance.now()
  let next = 0
  const worker = async () => {
    while (next < ids.length) {
      const index = next++
      await work(ids[index]!, index)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return (ids.length / (performance.now() - startedAt)) * 1000
}
