import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatCount, median } from '../support/figures.ts'
import { runLoad } from '../support/load.ts'
import type { Table } from '../support/results.ts'
import { createDatabase, dropDatabase } from './postgres.ts'
import { factsPath, headers, makeFact, readRequest, upsertRequest } from './requests.ts'

const connections = 16

interface Size {
  /** Warm-up of each server in seconds. */
  warmup: number
  rounds: number
  seconds: number
  /** Number of facts before the measurement. */
  factCount: number
}

/** Measures the requests per second of memory-service and of the bare handler. */
export async function measureThroughput(server: string, quick: boolean): Promise<Table> {
  const size: Size = quick
    ? { warmup: 1, rounds: 2, seconds: 0.2, factCount: 100 }
    : { warmup: 6, rounds: 25, seconds: 0.5, factCount: 1_000 }
  const rows: string[][] = []
  for (const [name, open] of Object.entries({
    PostgreSQL: () => createOnServer(server),
    'the embedded database': createEmbedded,
  })) {
    const facts = Array.from({ length: size.factCount }, (_, n) => makeFact(n))
    const full = await start('full', await open(), facts)
    const bare = await start('bare', await open(), facts)
    try {
      const reads = ({ ids }: Server) => list(() => readRequest(ids))
      const upserts = () => list(() => upsertRequest(size.factCount))
      rows.push([name, 'read', ...(await compare(full, bare, size, reads))])
      rows.push([name, 'upsert', ...(await compare(full, bare, size, upserts))])
    } finally {
      await full.stop()
      await bare.stop()
    }
  }
  return {
    title: 'A fact read and a fact upsert, requests a second',
    head: ['database', 'request', 'bare handler', 'memory-service', 'ratio'],
    rows,
    notes: [
      'memory-service over HTTP as it runs in production (internal key, validation, parsed rows, envelope, metrics, a log line for each request), beside the same SQL behind a bare Hono handler on the same HTTP server, driver and pool. The arguments of the SQL are made alike in both, ids and search terms included. Half of the upserts make a fact, half change one: a transaction of three statements after the first. Writes to PostgreSQL wait for the disk.',
      `${connections} connections, load and server on one machine; ${size.warmup} s of warming up, then medians of ${size.rounds} rounds of about ${size.seconds} s each, the two in turn; the ratio is the median of the rounds' ratios. Goal: at least 0.85.`,
    ],
  }
}

interface BenchDatabase {
  database: string
  remove(): Promise<void>
}

async function createOnServer(server: string): Promise<BenchDatabase> {
  const database = await createDatabase(server)
  return { database, remove: () => dropDatabase(database) }
}

async function createEmbedded(): Promise<BenchDatabase> {
  const database = mkdtempSync(join(tmpdir(), 'legal-suite-bench-'))
  return { database, remove: async () => rmSync(database, { recursive: true, force: true }) }
}

interface Server {
  port: number
  /** Ids of the stored facts. */
  ids: string[]
  stop(): Promise<void>
}

async function start(
  kind: 'full' | 'bare',
  target: BenchDatabase,
  facts: object[],
): Promise<Server> {
  const child = fork(new URL('./server.ts', import.meta.url), [kind, target.database], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the server did not start'))),
  ])
  const { port } = message as { port: number }
  return {
    port,
    ids: await insertFacts(port, facts),
    async stop() {
      child.kill('SIGKILL')
      await once(child, 'exit')
      await target.remove()
    },
  }
}

async function insertFacts(port: number, facts: object[]): Promise<string[]> {
  const ids: string[] = []
  for (const body of facts) {
    const response = await fetch(`http://127.0.0.1:${port}${factsPath}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answer = (await response.json()) as { id?: string; data?: { id: string } }
    ids.push((answer.data?.id ?? answer.id)!)
  }
  return ids
}

type MakeList = (each: number) => Buffer[][]

const list =
  (make: () => Buffer): MakeList =>
  (each) =>
    Array.from({ length: connections }, () => Array.from({ length: each }, make))

/** Measures both servers alternately; the order changes each round. */
async function compare(
  full: Server,
  bare: Server,
  { warmup, rounds, seconds }: Size,
  requests: (server: Server) => MakeList,
): Promise<string[]> {
  const load = (server: Server, each: number) => runLoad(server.port, requests(server)(each))
  let rate = 0
  for (const server of [full, bare]) {
    const startedAt = performance.now()
    do rate = await load(server, 50)
    while (performance.now() - startedAt < warmup * 1000)
  }
  const each = Math.ceil((rate * seconds) / connections)
  const fullRates: number[] = []
  const bareRates: number[] = []
  const sides = [
    async () => fullRates.push(await load(full, each)),
    async () => bareRates.push(await load(bare, each)),
  ]
  for (let round = 0; round < rounds; round++) {
    for (const side of sides.reverse()) await side()
  }
  const ratio = median(fullRates.map((rate, round) => rate / bareRates[round]!))
  return [formatCount(median(bareRates)), formatCount(median(fullRates)), ratio.toFixed(2)]
}
