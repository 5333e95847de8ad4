import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importWords, readShippedWords } from './lay-words.ts'
import { measureTimes, type QuestionSet } from './speed.ts'
import type { Article } from './statutes.ts'
import { benchBase, importArticles, key } from './subject.ts'

/** Starts knowledge-service as a process of its own, on PostgreSQL by URL or embedded in a directory. */
export async function startServer(database: string, cacheMebibytes: number) {
  const file = new URL('./server.ts', import.meta.url)
  const child = fork(file, [database, String(cacheMebibytes)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the server did not start'))),
  ])
  const { port } = message as { port: number }

  async function post(path: string, body: unknown): Promise<any> {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/internal/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-internal-api-key': key },
      body: JSON.stringify(body),
    })
    const { data, message } = (await response.json()) as { data: unknown; message: string }
    if (!response.ok) throw new Error(`${path}: ${response.status} ${message}`)
    return data
  }

  return {
    post,
    search: (query: string, top_k: number) =>
      post('atomic/keyword-search', { kb_ids: [benchBase], query, top_k }),
    /** Runs due jobs until none is left. */
    async settle() {
      child.send('settle')
      await once(child, 'message')
    },
    async stop() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

type Server = Awaited<ReturnType<typeof startServer>>

/** Milliseconds per question over HTTP with lay words: new questions, then the same ones again. */
export async function measureServer(
  server: Server,
  { warmup, timed }: QuestionSet,
  hits: number,
): Promise<{ fresh: number[]; warm: number[] }> {
  const search = (query: string) => server.search(query, hits)
  await importWords(server, readShippedWords())
  for (const query of [...warmup, ...warmup]) await search(query)
  const fresh = await measureTimes(timed, search)
  const warm = await measureTimes(timed, search)
  await importWords(server, [])
  return { fresh, warm }
}

/** Measures the service with the articles in an embedded database. */
export async function measureEmbedded(
  articles: readonly Article[],
  asking: QuestionSet,
  hits: number,
  cacheMebibytes: number,
) {
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-bench-'))
  const server = await startServer(directory, cacheMebibytes)
  try {
    await importArticles(server, articles)
    await server.settle()
    return { chunks: articles.length, ...(await measureServer(server, asking, hits)) }
  } finally {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
