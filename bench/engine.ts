import { startPostgres } from '../tests/support/postgres-server.ts'
import { bare } from './engine/bare.ts'
import { langgraph } from './engine/langgraph.ts'
import { makeOwnPeer } from './engine/ours.ts'
import type { Kind } from './engine/payload.ts'
import type { Peer } from './engine/peer.ts'
import { streaming } from './engine/stream.ts'
import { createDatabase, versions } from './kit/postgres.ts'
import { formatCount, mean, median } from './support/figures.ts'
import type { Results, Table } from './support/results.ts'

const kinds: Kind[] = ['compressible', 'incompressible']
const stepsPerRun = 10

interface Size {
  rounds: number
  /** Number of runs per round: `single` with one thread, `many` with 32 concurrent threads. */
  single: number
  many: number
  resumes: number
  long: number
}

/** Compares durable steps of ai-engine, LangGraph with its Postgres checkpointer, and bare SQL. */
export async function run({ quick }: { quick: boolean }): Promise<Results> {
  const size = quick
    ? { rounds: 1, single: 5, many: 64, resumes: 5, long: 120 }
    : { rounds: 5, single: 30, many: 160, resumes: 60, long: 1_000 }
  const server = await startPostgres({ durable: true })
  try {
    const tables: Table[] = []
    const peers = await Promise.all(
      [langgraph, makeOwnPeer, bare].map(async (open) => open(await createDatabase(server.url))),
    )
    tables.push(await throughput(peers, size))
    tables.push(await storage(server.url, size))
    tables.push(await resuming(peers, size))
    tables.push(await growing(peers, size))
    await Promise.all(peers.map((peer) => peer.end()))
    tables.push(await streaming(server.url, quick ? 3 : 20))
    return { versions: { ...(await versions(server.url)), LangGraph: '1.4.18' }, tables }
  } finally {
    await server.stop()
  }
}

/** Measures the peers alternately in each round, so that background load affects all of them. */
async function throughput(peers: Peer[], { rounds, single, many }: Size): Promise<Table> {
  const rows: string[][] = []
  for (const kind of kinds) {
    for (const concurrency of [1, 32]) {
      const rates = peers.map(() => [] as number[])
      for (let round = 0; round <= rounds; round++) {
        for (const [index, peer] of peers.entries()) {
          const rate = await stepsPerSecond(
            peer,
            kind,
            concurrency === 1 ? single : many,
            concurrency,
          )
          if (round > 0) rates[index]!.push(rate)
        }
      }
      const [peerRate, own, limit] = rates.map(median) as [number, number, number]
      rows.push([
        kind,
        String(concurrency),
        formatCount(peerRate),
        formatCount(own),
        formatCount(limit),
        `${(own / peerRate).toFixed(1)} ×`,
        (own / limit).toFixed(2),
      ])
    }
  }
  return {
    title: 'Durable steps per second',
    head: [
      'payload',
      'threads',
      'LangGraph',
      'ai-engine',
      'bare SQL',
      'to LangGraph',
      'to bare SQL',
    ],
    rows,
    notes: [
      `Each run has ${stepsPerRun} steps and its own thread. The state is 20 KB; a step changes a note of 100 bytes and adds a message of 200 bytes. Every step is flushed to disk before the next one starts (LangGraph: durability sync). All engines use a pool of 10 connections. Median of ${rounds} alternating rounds. Goals: at least 10 × LangGraph at 32 threads, 4 × at one, and half of bare SQL.`,
    ],
  }
}

async function stepsPerSecond(peer: Peer, kind: Kind, runs: number, concurrency: number) {
  const startedAt = performance.now()
  let left = runs
  const worker = async () => {
    while (left-- > 0) await peer.run(kind, stepsPerRun)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return (runs * stepsPerRun * 1000) / (performance.now() - startedAt)
}

async function storage(url: string, { many }: Size): Promise<Table> {
  const rows: string[][] = []
  for (const kind of kinds) {
    const perStep: number[] = []
    for (const open of [langgraph, makeOwnPeer]) {
      const peer = await open(await createDatabase(url))
      const before = await peer.bytes()
      for (let n = 0; n < many / 4; n++) await peer.run(kind, stepsPerRun)
      const short = ((await peer.bytes()) - before) / ((many / 4) * stepsPerRun)
      const middle = await peer.bytes()
      await peer.run(kind, 300)
      perStep.push(short, ((await peer.bytes()) - middle) / 300)
      await peer.end()
    }
    const [theirShort, theirLong, ownShort, ownLong] = perStep as [number, number, number, number]
    const row = (what: string, peerRate: number, own: number) =>
      rows.push([kind, what, formatCount(peerRate), formatCount(own), (own / peerRate).toFixed(2)])
    row('runs of 10 steps', theirShort, ownShort)
    row('one run of 300', theirLong, ownLong)
  }
  return {
    title: 'Bytes stored per step',
    head: ['payload', 'of', 'LangGraph', 'ai-engine', 'ratio'],
    rows,
    notes: [
      'Size of tables and indexes, including the initial state of 20 KB per thread. Goal: at most a tenth.',
    ],
  }
}

async function resuming(peers: Peer[], { resumes }: Size): Promise<Table> {
  const able = peers.filter((peer) => peer.resume)
  const times = able.map(() => [] as number[])
  for (let n = -3; n < resumes; n++) {
    for (const [index, peer] of able.entries()) {
      const durationMs = await peer.resume!('incompressible')
      if (n >= 0) times[index]!.push(durationMs)
    }
  }
  const [peerRate, own] = times.map(median) as [number, number]
  return {
    title: 'Time from an answer to the next node',
    head: ['LangGraph', 'ai-engine', 'ratio'],
    rows: [[`${peerRate.toFixed(1)} ms`, `${own.toFixed(1)} ms`, (own / peerRate).toFixed(2)]],
    notes: [
      `Median of ${resumes} alternating resumes. LangGraph runs the interrupted node again. Goal: at most a third.`,
    ],
  }
}

/** Measures the cost of a step by the length of its thread. */
async function growing(peers: Peer[], { long }: Size): Promise<Table> {
  const at = [10, 100, 1_000].filter((step) => step <= long)
  const rows: string[][] = []
  for (const peer of peers) {
    const begins: number[] = []
    await peer.run('incompressible', long + 12, () => begins.push(performance.now()))
    const costs = at.map((step) => {
      const from = Math.max(1, step - 9)
      const to = Math.min(step + 10, begins.length - 1)
      const window = begins.slice(from, to + 1)
      return mean(window.slice(1).map((time, index) => time - window[index]!))
    })
    rows.push([
      peer.name,
      ...costs.map((ms) => `${ms.toFixed(2)} ms`),
      `${(costs.at(-1)! / costs[0]!).toFixed(1)} ×`,
    ])
  }
  return {
    title: 'Cost of a step by thread length',
    head: ['engine', ...at.map((step) => `step ${formatCount(step)}`), 'last to first'],
    rows,
    notes: [
      'Mean of the 20 steps around each position. Goal: step 1,000 costs at most 1.2 times step 10.',
    ],
  }
}
