import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { startPostgres } from '../tests/support/postgres-server.ts'
import { createDatabase, versions } from './kit/postgres.ts'
import { formatCount, median } from './support/figures.ts'
import { encodeRequest, runLoad } from './support/load.ts'
import type { Results, Table } from './support/results.ts'

const serverFile = new URL('./gateway/server.ts', import.meta.url)
const path = '/matter-service/api/v1'
const connections = 16

interface Size {
  rounds: number
  /** Requests per connection. */
  requests: number
  /** Size of the download in MiB. */
  download: number
  events: number
  streams: number
}

interface Proxy {
  child: ChildProcess
  port: number
  headers: Record<string, string>
}
type Proxies = Record<'bare' | 'full', Proxy>

/** Compares the gateway with a bare Hono proxy: the same HTTP server, client and service. */
export async function run({ quick }: { quick: boolean }): Promise<Results> {
  const size = quick
    ? { rounds: 2, requests: 100, download: 32, events: 5_000, streams: 100 }
    : { rounds: 9, requests: 500, download: 256, events: 30_000, streams: 1_000 }
  const postgres = await startPostgres({ durable: true })
  const upstream = await start('upstream', {})
  const env = {
    MATTER_SERVICE_URL: `http://127.0.0.1:${upstream.port}`,
    DATABASE_URL: await createDatabase(postgres.url),
  }
  const proxies: Proxies = { bare: await start('bare', env), full: await start('full', env) }
  try {
    proxies.full.headers = await signIn(proxies.full)
    const tables = [await compare(proxies, size), await measureStreams(proxies, size)]
    return { versions: await versions(postgres.url), tables }
  } finally {
    for (const { child } of [proxies.full, proxies.bare, upstream]) {
      child.kill()
      await once(child, 'exit')
    }
    await postgres.stop()
  }
}

async function start(kind: string, env: Record<string, string>): Promise<Proxy> {
  const child = fork(serverFile, [kind], {
    env: { ...process.env, ...env },
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const died = once(child, 'exit').then(() => Promise.reject(new Error(`${kind} did not start`)))
  const [{ port }] = (await Promise.race([once(child, 'message'), died])) as [{ port: number }]
  died.catch(() => {})
  return { child, port, headers: {} }
}

async function signIn({ port }: Proxy): Promise<Record<string, string>> {
  const response = await fetch(`http://127.0.0.1:${port}/auth/local`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"person":"sample-lawyer"}',
  })
  return { cookie: response.headers.get('set-cookie')!.split(';')[0]! }
}

async function compare(proxies: Proxies, size: Size): Promise<Table> {
  const row = async (what: string, measure: (proxy: Proxy) => Promise<number>) => {
    const rounds = await alternate(proxies, size.rounds, measure)
    const cells = [
      formatCount(median(rounds.map(({ bare }) => bare))),
      formatCount(median(rounds.map(({ full }) => full))),
      median(rounds.map(({ bare, full }) => full / bare)).toFixed(2),
    ]
    return [what, ...cells]
  }
  return {
    title: 'Through the gateway and through a bare proxy',
    head: ['', 'bare Hono proxy', 'gateway', 'ratio'],
    rows: [
      await row(`requests per second, ${connections} connections`, (proxy) =>
        sendRequests(proxy, connections, size.requests),
      ),
      await row('µs per request, one connection', async (proxy) => {
        return 1_000_000 / (await sendRequests(proxy, 1, size.requests))
      }),
      await row(`download of ${size.download} MiB, MiB per second`, async (proxy) => {
        const { bytes, seconds } = await readAll(proxy, `/download/${size.download}`)
        return bytes / 2 ** 20 / seconds
      }),
      await row('events per second of one stream', async (proxy) => {
        const { seconds } = await readAll(proxy, `/stream/${size.events}`)
        return size.events / seconds
      }),
    ],
    notes: [
      `The gateway runs as in production: session cookie, rate limit, identity headers, CSRF and scope rules, security headers, metrics, a log line. The bare proxy copies method, headers and body. Both use the same HTTP server and client. Load, proxy and service are separate processes on one machine. Median of ${size.rounds} alternating rounds; the ratio is the median of the ratios of the rounds. Goal: at least 0.85 of the requests per second.`,
    ],
  }
}

/** Measures both proxies alternately after a warm-up round. */
async function alternate(
  { bare, full }: Proxies,
  rounds: number,
  measure: (proxy: Proxy) => Promise<number>,
) {
  const figures: { bare: number; full: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    const figure = { bare: await measure(bare), full: await measure(full) }
    if (round > 0) figures.push(figure)
  }
  return figures
}

function sendRequests({ port, headers }: Proxy, connectionCount: number, count: number) {
  const request = encodeRequest('GET', `${path}/matters`, headers)
  const list = Array.from({ length: count }, () => request)
  return runLoad(
    port,
    Array.from({ length: connectionCount }, () => list),
  )
}

async function readAll({ port, headers }: Proxy, source: string) {
  const startedAt = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}${path}${source}`, { headers })
  let bytes = 0
  for await (const chunk of response.body!) bytes += chunk.length
  return { bytes, seconds: (performance.now() - startedAt) / 1_000 }
}

/** Opens idle event streams and measures the memory of the proxy. */
async function measureStreams(proxies: Proxies, { streams }: Size): Promise<Table> {
  const rows: string[][] = []
  for (const [name, proxy] of Object.entries(proxies)) {
    const before = await readMemory(proxy)
    const stop = new AbortController()
    const openings = Array.from({ length: streams }, () => openStream(proxy, stop.signal))
    const opened = (await Promise.all(openings)).filter(Boolean).length
    const after = await readMemory(proxy)
    stop.abort()
    const perStream = (what: 'used' | 'resident') =>
      `${((after[what] - before[what]) / streams / 1024).toFixed(1)} KB`
    const subject = name === 'bare' ? 'bare Hono proxy' : 'gateway'
    rows.push([subject, formatCount(opened), perStream('used'), perStream('resident')])
  }
  return {
    title: 'Open event streams',
    head: ['', 'streams with an event', 'in use per stream', 'resident per stream'],
    rows,
    notes: [
      `${formatCount(streams)} event streams are opened at once and stay open. In use: heap after a garbage collection. Resident: memory that the system counts. The gateway checks the credentials of all open streams once a second.`,
    ],
  }
}

async function readMemory({ child }: Proxy) {
  child.send('how much')
  const [memory] = (await once(child, 'message')) as [{ used: number; resident: number }]
  return memory
}

async function openStream({ port, headers }: Proxy, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}${path}/open`, { headers, signal })
  const { value } = await response.body!.getReader().read()
  return value !== undefined
}
