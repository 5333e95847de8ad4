import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { startPostgres } from '../tests/support/postgres-server.ts'
import { createDatabase, versions } from './kit/postgres.ts'
import { createSession, openStream } from './stream/client.ts'
import type { Plan } from './stream/engine.ts'
import { formatCount, median, quantile } from './support/figures.ts'
import type { Results, Table } from './support/results.ts'

const engineFile = new URL('./stream/engine.ts', import.meta.url)
const serverFile = new URL('./stream/server.ts', import.meta.url)

type Kind = 'bare' | 'full'
interface Server {
  child: ChildProcess
  base: string
}
type Servers = Record<Kind, Server>

/** Few enough that the processes do not compete for the cores. */
const fewStreamCount = 20

interface Size {
  rounds: number
  /** Number of concurrent streams and events per stream. */
  streams: number
  events: number
  idle: number
}

/** Compares the relay of consultations-service with a byte pass-through, with the same engine and reader. */
export async function run({ quick }: { quick: boolean }): Promise<Results> {
  const size = quick
    ? { rounds: 1, streams: 50, events: 100, idle: 1_000 }
    : { rounds: 5, streams: 100, events: 300, idle: 1_000 }
  const postgres = await startPostgres({ durable: true })
  const engine = await start(engineFile, [], {})
  const env = {
    ENVIRONMENT: 'production',
    INTERNAL_API_KEY: 'a-key-for-the-bench-only-and-long',
    DATABASE_URL: await createDatabase(postgres.url),
    AI_ENGINE_URL: engine.base,
    MATTER_SERVICE_URL: engine.base,
  }
  const servers: Servers = {
    bare: await start(serverFile, ['bare'], env),
    full: await start(serverFile, ['full'], env),
  }
  try {
    const pace = { events: size.events, everyMs: 20 }
    const few = await measure(servers, pace, { ...size, streams: fewStreamCount })
    const paced = await measure(servers, pace, size)
    const eager = await measure(servers, { events: size.events * 10, everyMs: 0 }, size)
    const tables = [
      rates(paced, eager, size),
      latency(few, paced, size),
      await memory(servers, size),
    ]
    return { versions: await versions(postgres.url), tables }
  } finally {
    for (const { child } of [servers.full, servers.bare, engine]) {
      child.kill()
      await once(child, 'exit')
    }
    await postgres.stop()
  }
}

type Measured = Record<Kind, { rates: number[]; ages: number[][] }>

/** Measures both servers alternately after a warm-up round. */
async function measure(servers: Servers, plan: Plan, size: Size): Promise<Measured> {
  const measured: Measured = { bare: { rates: [], ages: [] }, full: { rates: [], ages: [] } }
  const streamCount = plan.everyMs === 0 ? 4 : size.streams
  for (let round = 0; round <= size.rounds; round++) {
    for (const kind of ['bare', 'full'] as const) {
      const { base } = servers[kind]
      const ages: number[] = []
      const urls = await Promise.all(
        Array.from({ length: streamCount }, () => createSession(base, kind)),
      )
      const startedAt = performance.now()
      const streams = await Promise.all(
        urls.map((url) =>
          openStream(url, plan, plan.everyMs > 0 ? (ms) => ages.push(ms) : undefined),
        ),
      )
      const ended = await Promise.all(streams.map(({ done: over }) => over))
      const events = ended.reduce((sum, each) => sum + each.events, 0)
      if (events !== streamCount * plan.events) throw new Error(`${kind} sent ${events} events`)
      if (round === 0) continue
      measured[kind].rates.push((events * 1000) / (performance.now() - startedAt))
      measured[kind].ages.push(ages)
    }
  }
  return measured
}

function rates(paced: Measured, eager: Measured, { rounds, streams, events }: Size): Table {
  const row = (what: string, { bare, full }: Measured) => {
    const ratio = median(full.rates.map((rate, round) => rate / bare.rates[round]!))
    return [
      what,
      formatCount(median(bare.rates)),
      formatCount(median(full.rates)),
      ratio.toFixed(2),
    ]
  }
  return {
    title: 'Events per second',
    head: ['streams', 'pass-through', 'consultations-service', 'ratio'],
    rows: [
      row(`${streams} streams at model speed, 50 events per second each`, paced),
      row('4 unthrottled streams', eager),
    ],
    notes: [
      `Each stream has ${formatCount(events)} events after one second without data; unthrottled streams have ten times as many. Engine, relay and reader are separate processes on one machine. The pass-through uses the same HTTP server and client and forwards bytes. consultations-service parses each event, selects and numbers the public ones, and stores all events and the final message. Median of ${rounds} alternating rounds. Goal: at least 0.9.`,
    ],
  }
}

function latency(few: Measured, many: Measured, { streams }: Size): Table {
  const of = (ages: number[][], share: number) => median(ages.map((each) => quantile(each, share)))
  const rows = ([fewStreamCount, streams] as const).flatMap((number) => {
    const { bare, full } = number === fewStreamCount ? few : many
    return [0.5, 0.99].map((share) => {
      const [without, with_] = [of(bare.ages, share), of(full.ages, share)]
      const cells = [without, with_, with_ - without].map((ms) => `${ms.toFixed(2)} ms`)
      return [share === 0.5 ? String(number) : '', `p${share * 100}`, ...cells]
    })
  })
  return {
    title: 'Latency from engine to reader',
    head: ['streams', '', 'pass-through', 'consultations-service', 'added'],
    rows,
    notes: [
      `At model speed. Engine, relay, reader and database share the cores and contend for them with ${streams} streams. Goal: at most 2 ms added at p99.`,
    ],
  }
}

async function memory(servers: Servers, { idle }: Size): Promise<Table> {
  const silent = { events: 1, everyMs: 600_000 }
  const rows: string[][] = []
  for (const kind of ['bare', 'full'] as const) {
    const { base, child } = servers[kind]
    const readMemory = async () => {
      child.send('how much')
      const [memory] = (await once(child, 'message')) as [{ used: number; resident: number }]
      return memory
    }
    const before = await readMemory()
    for (let opened = 0; opened < idle; opened += 50) {
      const some = Array.from({ length: 50 }, async () =>
        openStream(await createSession(base, kind), silent),
      )
      await Promise.all(some)
    }
    const after = await readMemory()
    const each = (what: 'used' | 'resident') =>
      `${((after[what] - before[what]) / idle / 1024).toFixed(1)} KB`
    const name = kind === 'bare' ? 'pass-through' : 'consultations-service'
    rows.push([name, each('used'), each('resident')])
  }
  return {
    title: 'Memory per open stream',
    head: ['relay', 'in use', 'resident'],
    rows,
    notes: [
      `Memory growth of the process with ${formatCount(idle)} idle streams, each with its own turn and engine connection. In use: heap after a garbage collection. Resident: memory that the system counts, including what opening the streams left allocated. Goal: at most 50 KB.`,
    ],
  }
}

async function start(file: URL, args: string[], env: Record<string, string>): Promise<Server> {
  const child = fork(file, args, {
    env: { ...process.env, ...env },
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const died = once(child, 'exit').then(() =>
    Promise.reject(new Error(`${file.pathname} did not start`)),
  )
  const [{ port }] = (await Promise.race([once(child, 'message'), died])) as [{ port: number }]
  died.catch(() => {})
  return { child, base: `http://127.0.0.1:${port}` }
}
