import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { migrate } from '../services/_kit/sql/migrate.ts'
import { postgresDriver } from '../services/_kit/sql/postgres.ts'
import type { Driver } from '../services/_kit/sql/sql.ts'
import { build } from '../services/collector/cli/build.cli.ts'
import { editionQuestions } from '../tests/support/law/edition-questions.ts'
import {
  editionsFile,
  hasNationalData,
  nationalFile,
  readLawLines,
} from '../tests/support/law/law-lines.ts'
import { startPostgres } from '../tests/support/postgres-server.ts'
import { createDatabase, versions } from './kit/postgres.ts'
import { basisTable } from './law/basis.ts'
import { type Knowledge, openKnowledge } from './search/subject.ts'
import { open } from './seed/subject.ts'
import { formatCount } from './support/figures.ts'
import type { Results, Table } from './support/results.ts'

const packageId = 'national_laws'

/**
 * Loads the whole national law through legal-seed build and collector-service, and measures time, size,
 * searches as of a date and the search for the basis of an answer. Without the data: the excerpt.
 */
export async function run({ quick }: { quick: boolean }): Promise<Results> {
  const from = hasNationalData() && !quick ? nationalFile : editionsFile
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-bench-law-'))
  const server = await startPostgres()
  const url = await createDatabase(server.url)
  const driver = postgresDriver(url, 4)
  try {
    const subject = await openKnowledge(driver)
    await migrate(driver, 'collector', 'collector')
    const buildMs = await timed(async () => {
      await build({
        from,
        out: join(directory, packageId),
        ...{ packageId, kb: 'sys_statutes', version: '2026-01-01' },
      })
    })
    const applyMs = await timed(() => open(driver, directory).apply(packageId))
    const mergeMs = await timed(subject.settle)
    const loading = await loadingTable(subject, from, { buildMs, applyMs, mergeMs })
    const editions = await editionsTable(subject, from)
    await importSeeds(subject, driver)
    return {
      versions: await versions(server.url),
      tables: [loading, editions, await basisTable(subject)],
    }
  } finally {
    await driver.end()
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const Sizes = z.object({ documents: z.int(), chunks: z.int(), bytes: z.number() })

async function loadingTable(
  { sql }: Knowledge,
  from: string,
  times: { buildMs: number; applyMs: number; mergeMs: number },
): Promise<Table> {
  const { documents, chunks, bytes } = (await sql.row(Sizes)`
    select (select count(*) from knowledge.documents)::int as documents,
      (select count(*) from knowledge.chunks)::int as chunks,
      pg_database_size(current_database()) as bytes`)!
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  return {
    title: 'Loading the national law',
    head: ['editions', 'chunks', 'build', 'apply', 'merge', 'database'],
    rows: [
      [
        formatCount(documents),
        formatCount(chunks),
        ...[times.buildMs, times.applyMs, times.mergeMs].map(seconds),
        `${formatCount(Number(bytes) / 2 ** 20)} MiB`,
      ],
    ],
    notes: [
      from === nationalFile
        ? 'legal-seed build from laws.jsonl.gz, then legal-seed apply: plan by dry run and import.'
        : 'Only the excerpt of tests/fixtures: LEGAL_SUITE_DATA names no directory with laws.jsonl.gz, or a quick run.',
    ],
  }
}

async function editionsTable(subject: Knowledge, from: string): Promise<Table> {
  const questions = editionQuestions(readLawLines(from), 100, 4)
  let right = 0
  let asked = 0
  for (const { query, title, answers } of questions) {
    for (const { day, edition } of answers) {
      const body = { query, as_of: day, top_k: 10 }
      const { hits } = await subject.post('atomic/keyword-search', body)
      const first = hits.find((hit: any) => hit.title === title)
      asked++
      if (first?.document_id === edition) right++
    }
  }
  return {
    title: 'Search as of a date',
    head: ['questions', 'searches', 'right edition'],
    rows: [[String(questions.length), String(asked), String(right)]],
    notes: [
      'Each question is asked on the first day of two editions whose answers differ; the first hit of the law must be of the edition in force.',
    ],
  }
}

const packages = resolve(import.meta.dirname, '../seed_packages')

/** Structured knowledge, as collector-service imports it. */
async function importSeeds(subject: Knowledge, driver: Driver) {
  await open(driver, packages).apply('knowledge_structured_seeds')
  await subject.settle()
}
