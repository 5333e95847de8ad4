import { fileURLToPath } from 'node:url'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { migrate } from '../../services/_kit/sql/migrate.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import { listen } from '../../services/_run/listen.ts'
import { openAiComplete } from '../../services/ai-engine/model/openai.ts'
import engine from '../../services/ai-engine/service.ts'
import { freePort } from '../../tests/support/free-port.ts'
import { run } from '../../tests/support/process.ts'
import { createDatabase } from '../kit/postgres.ts'
import { formatCount, median } from '../support/figures.ts'
import type { Table } from '../support/results.ts'

const key = 'a-key-for-the-bench'
/** PostgreSQL plans a prepared statement anew for its first five executions on each connection. */
const warmupRounds = 15

interface StreamTiming {
  firstMs: number
  perSecond: number
}

/** Compares a model stream through ai-engine with the same stream read directly from the model. */
export async function streaming(url: string, rounds: number): Promise<Table> {
  const rows: string[][] = []
  for (const [pace, words, everyMs] of [
    ['100 words a second', 100, 10],
    ['1,000 words a second', 1_000, 1],
    ['as fast as it can', 5_000, 0],
  ] as const) {
    const modelPort = await freePort()
    const script = fileURLToPath(new URL('./model.ts', import.meta.url))
    const model = run(
      process.execPath,
      [script, String(modelPort), String(words), String(everyMs)],
      {},
    )
    await model.waitForOutput('listening')
    const baseUrl = `http://127.0.0.1:${modelPort}/v1`
    const service = await serve(url, baseUrl)
    const [direct, through]: [StreamTiming[], StreamTiming[]] = [[], []]
    for (let round = -warmupRounds; round < rounds; round++) {
      const other = await fromEngine(service.port, words)
      if (round < 0) continue
      direct.push(await fromModel(baseUrl, words))
      through.push(other)
    }
    const rate = (measurements: StreamTiming[]) =>
      median(measurements.map(({ perSecond }) => perSecond))
    const first = (measurements: StreamTiming[]) =>
      median(measurements.map(({ firstMs }) => firstMs))
    rows.push([
      pace,
      formatCount(rate(direct)),
      formatCount(rate(through)),
      (rate(through) / rate(direct)).toFixed(2),
      `${(first(through) - first(direct)).toFixed(1)} ms`,
    ])
    await service.close()
    await model.stop()
  }
  return {
    title: 'A model’s words through ai-engine, words a second',
    head: ['model', 'read directly', 'through ai-engine', 'ratio', 'first word later by'],
    rows,
    notes: [
      `Words are on the disk before a client receives them; words that arrive together are one event. Before the first word the run is created, its context is read and its route is decided; the run is one more write to the disk, the rest is written with the first word. Median of ${rounds} turns each, in turn, after ${warmupRounds} to warm up. Goals: a ratio of at least 0.9, of 0.6 as fast as it can; the first word at most 5 ms later.`,
    ],
  }
}

async function serve(url: string, baseUrl: string) {
  const database = postgresDriver(await createDatabase(url), 10)
  await migrate(database, 'ai-engine', 'ai_engine')
  const { fetch } = engine.start({
    env: {
      ENVIRONMENT: 'production',
      INTERNAL_API_KEY: key,
      AI_BASE_URL: baseUrl,
      AI_MODEL: 'bench',
    },
    database,
    peers: () => async () => Response.json({ code: 0, message: 'ok', data: {} }),
    log: silent,
    metrics: makeMetrics(),
    runtime: 'node',
    version: 'bench',
  })
  const port = await freePort()
  const listening = await listen(fetch, port, '127.0.0.1')
  return {
    port,
    async close() {
      await listening.close(0)
      await database.end()
    },
  }
}

/** Measures the words from the time the request is sent. */
function stopwatch() {
  const startedAt = performance.now()
  let first = 0
  return {
    recordToken() {
      first ||= performance.now()
    },
    result: (words: number): StreamTiming => ({
      firstMs: first - startedAt,
      perSecond: ((words - 1) * 1000) / (performance.now() - first),
    }),
  }
}

async function fromModel(baseUrl: string, words: number): Promise<StreamTiming> {
  const watch = stopwatch()
  const complete = openAiComplete({ baseUrl, model: 'bench' })
  const messages = [{ role: 'user' as const, content: '什么是诉讼时效？' }]
  await complete({ messages }, { signal: new AbortController().signal, onText: watch.recordToken })
  return watch.result(words)
}

async function fromEngine(port: number, words: number): Promise<StreamTiming> {
  const watch = stopwatch()
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/internal/ai/agent/execute/stream`, {
    method: 'POST',
    headers: { 'x-internal-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      thread_id: crypto.randomUUID(),
      organization_id: 'bench',
      message: '什么是诉讼时效？',
    }),
  })
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('"token"')) watch.recordToken()
  }
  if (!text.includes('"completed"'))
    throw new Error(`the run did not complete: ${text.slice(-500)}`)
  return watch.result(words)
}
