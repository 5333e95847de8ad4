import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openAiComplete } from '../../services/ai-engine/model/openai.ts'
import { freePort } from '../../tests/support/free-port.ts'
import { run } from '../../tests/support/process.ts'
import { createDatabase } from '../kit/postgres.ts'
import { formatCount, median } from '../support/figures.ts'
import type { Table } from '../support/results.ts'

const key = 'a-key-for-the-bench'
/** A service that has run for a while: compiled code, planned statements on each connection. */
const warmupRounds = 150

interface StreamTiming {
  firstMs: number
  perSecond: number
}

/** Compares a model stream through ai-engine with the same stream read directly from the model. */
export async function streaming(url: string, rounds: number): Promise<Table> {
  const modelPort = await freePort()
  const script = fileURLToPath(new URL('./model.ts', import.meta.url))
  const model = run(process.execPath, [script, String(modelPort)], {})
  await model.waitForOutput('listening')
  const baseUrl = `http://127.0.0.1:${modelPort}/v1`
  const service = await serve(url, baseUrl)
  for (let round = 0; round < warmupRounds; round++) {
    await fromEngine(service.port, 100)
    await fromModel(baseUrl, 100)
  }
  const rows: string[][] = []
  for (const [pace, words, everyMs] of [
    ['100 words a second', 100, 10],
    ['1,000 words a second', 1_000, 1],
    ['as fast as it can', 5_000, 0],
  ] as const) {
    await fetch(`http://127.0.0.1:${modelPort}/pace?words=${words}&everyMs=${everyMs}`, {
      method: 'PUT',
    })
    const [direct, through]: [StreamTiming[], StreamTiming[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      direct.push(await fromModel(baseUrl, words))
      through.push(await fromEngine(service.port, words))
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
  }
  await service.close()
  await model.stop()
  return {
    title: 'A model’s words through ai-engine, words a second',
    head: ['model', 'read directly', 'through ai-engine', 'ratio', 'first word later by'],
    rows,
    notes: [
      `Words are on the disk before a client receives them; words that arrive together are one event. Before the first word the run is created, its context is read and its route is decided; the run is one more write to the disk, the rest is written with the first word. Reader, ai-engine, model and database are separate processes. Median of ${rounds} turns each, in turn, after ${warmupRounds} turns that warm up all processes. Goals: a ratio of at least 0.9, of 0.6 as fast as it can; the first word at most 5 ms later.`,
    ],
  }
}

/** Starts ai-engine in a process of its own, as in production. */
async function serve(url: string, baseUrl: string) {
  const script = fileURLToPath(new URL('./server.ts', import.meta.url))
  const server = fork(script, [await createDatabase(url), baseUrl, key])
  const died = once(server, 'exit').then(() => Promise.reject(new Error('ai-engine did not start')))
  const [{ port }] = (await Promise.race([once(server, 'message'), died])) as [{ port: number }]
  died.catch(() => {})
  return {
    port,
    async close() {
      server.kill()
      await once(server, 'exit')
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
  // The reader shares two processors with the other processes: it looks for the first word only until it is there.
  const chunks: Uint8Array[] = []
  let started = false
  for await (const chunk of response.body!) {
    chunks.push(chunk)
    if (started || !Buffer.concat(chunks).includes('"token"')) continue
    started = true
    watch.recordToken()
  }
  const text = Buffer.concat(chunks).toString()
  if (!text.includes('"completed"'))
    throw new Error(`the run did not complete: ${text.slice(-500)}`)
  return watch.result(words)
}
