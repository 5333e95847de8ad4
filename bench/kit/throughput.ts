import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { count, median } from '../support/figures.ts'
import { fire } from '../support/load.ts'
import type { Table } from '../support/results.ts'
import { createDatabase, dropDatabase } from './postgres.ts'
import { fact, facts, headers, read, upsert } from './requests.ts'

const connections = 16

interface Size {
  /** How long each server is warmed up: its code is compiled while it runs. */
  warmup: number
  rounds: number
  seconds: number
  /** Facts that are there before the measurement. */
  known: number
}

/** Requests a second through memory-service and through the bare handler. */
export async function throughput(server: string, quick: boolean): Promise<Table> {
  const size: Size = quick
    ? { warmup: 1, rounds: 2, seconds: 0.2, known: 100 }
    : { warmup: 6, rounds: 25, seconds: 0.5, known: 1_000 }
  const rows: string[][] = []
  for (const [name, open] of Object.entries({
    PostgreSQL: () => onServer(server),
    'the embedded database': embedded,
  })) {
    const told = Array.from({ length: size.known }, (_, n) => fact(n))
    const full = await start('full', await open(), told)
    const bare = await start('bare', await open(), told)
    try {
      const reads = ({ ids }: Server) => list(() => read(ids))
      const upserts = () => list(() => upsert(size.known))
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

interface Place {
  database: string
  remove(): Promise<void>
}

async function onServer(server: string): Promise<Place> {
  const database = await createDatabase(server)
  return { database, remove: () => dropDatabase(database) }
}

async function embedded(): Promise<Place> {
  const database = mkdtempSync(join(tmpdir(), 'legal-suite-bench-'))
  return { database, remove: async () => rmSync(database, { recursive: true, force: true }) }
}

interface Server {
  port: number
  /** Facts it knows. */
  ids: string[]
  stop(): Promise<void>
}

async function start(kind: 'full' | 'bare', place: Place, told: object[]): Promise<Server> {
  const child = fork(new URL('./server.ts', import.meta.url), [kind, place.database], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the server did not start'))),
  ])
  const { port } = message as { port: number }
  return {
    port,
    ids: await tellAll(port, told),
    async stop() {
      child.kill('SIGKILL')
      await once(child, 'exit')
      await place.remove()
    },
  }
}

async function tellAll(port: number, told: object[]): Promise<string[]> {
  const ids: string[] = []
  for (const body of told) {
    const response = await fetch(`http://127.0.0.1:${port}${facts}`, {
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

/** The two in turn, each as often the first of a round as the second. */
async function compare(
  full: Server,
  bare: Server,
  { warmup, rounds, seconds }: Size,
  requests: (server: Server) => MakeList,
): Promise<string[]> {
  const load = (server: Server, each: number) => fire(server.port, requests(server)(each))
  let rate = 0
  for (const server of [full, bare]) {
    const begun = performance.now()
    do rate = await load(server, 50)
    while (performance.now() - begun < warmup * 1000)
  }
  const each = Math.ceil((rate * seconds) / connections)
  const through: number[] = []
  const beside: number[] = []
  const sides = [
    async () => through.push(await load(full, each)),
    async () => beside.push(await load(bare, each)),
  ]
  for (let round = 0; round < rounds; round++) {
    for (const side of sides.reverse()) await side()
  }
  const ratio = median(through.map((rate, round) => rate / beside[round]!))
  return [count(median(beside)), count(median(through)), ratio.toFixed(2)]
}
