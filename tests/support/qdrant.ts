import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { listen } from '../../services/_run/listen.ts'
import { freePort } from './free-port.ts'
import { guard } from './process.ts'

export interface QdrantServer {
  url: string
  ask(method: string, path: string, body?: unknown): Promise<any>
  stop(): Promise<void>
}

const patienceMs = 90_000

/**
 * A real Qdrant server: the one at QDRANT_TEST_URL, or one that is started by the script in
 * LEGAL_SUITE_BACKENDS. Where there is neither, the reason.
 */
export async function startQdrant(): Promise<QdrantServer | string> {
  const given = process.env.QDRANT_TEST_URL
  if (given) return serverAt(given, async () => {})
  const script = resolve(
    process.env.LEGAL_SUITE_BACKENDS ?? '../shared/backends',
    'qdrant/start.sh',
  )
  if (!existsSync(script))
    return 'no Qdrant server: neither QDRANT_TEST_URL nor LEGAL_SUITE_BACKENDS is set'
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-qdrant-'))
  const port = await freePort()
  if (!(await started(script, directory, port)))
    return `no Qdrant server: ${script} did not start one`
  const pid = Number(readFileSync(join(directory, 'qdrant.pid'), 'utf8'))
  const release = guard({ pid })
  return serverAt(`http://127.0.0.1:${port}`, async () => {
    process.kill(pid)
    while (runs(pid)) await new Promise((resolve) => setTimeout(resolve, 20))
    release()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  })
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function started(script: string, directory: string, port: number): Promise<boolean> {
  // The server may run as another user, who must be able to enter the directory.
  const child = spawn('bash', ['-c', `chmod 755 "$0" && exec bash "$1" "$0"`, directory, script], {
    env: { ...process.env, QDRANT_PORT: String(port) },
    stdio: 'ignore',
    detached: true,
  })
  child.unref()
  return new Promise((resolve) => {
    const late = setTimeout(resolve, patienceMs, false)
    child.once('exit', (code) => {
      clearTimeout(late)
      resolve(code === 0)
    })
  })
}

function serverAt(url: string, stop: () => Promise<void>): QdrantServer {
  return {
    url,
    stop,
    async ask(method, path, body) {
      const response = await fetch(url + path, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return ((await response.json()) as { result: unknown }).result
    },
  }
}

/** What the service is told of each backend that can be had here. */
export const backendsWith = (server: QdrantServer | string) => [
  { backend: 'database', env: {} as Record<string, string> },
  ...(typeof server === 'string' ? [] : [{ backend: 'qdrant', env: qdrantVariables(server.url) }]),
]

export const qdrantVariables = (url: string): Record<string, string> => ({
  KNOWLEDGE_SEARCH_BACKEND: 'qdrant',
  QDRANT_URL: url,
  QDRANT_TIMEOUT_MS: '10000',
})

/** How a server between us and Qdrant may behave. */
export type Behaviour = 'pass' | 'refuse' | 'error' | 'garbage' | 'odd' | 'hang'

/** Something that passes requests on to Qdrant, or fails in the way it is told. */
export async function unreliable(url: string) {
  let behaviour: Behaviour = 'pass'
  let requests = 0
  const answers: Record<Exclude<Behaviour, 'pass'>, () => Response | Promise<Response>> = {
    refuse: () => new Response('no', { status: 403 }),
    error: () => new Response('no', { status: 500 }),
    garbage: () => new Response('<html>'),
    odd: () => Response.json({ result: { surprise: true } }),
    hang: () => new Promise((resolve) => setTimeout(resolve, 5_000, new Response())),
  }
  const server = await listen(
    async (request) => {
      requests++
      if (behaviour !== 'pass') return answers[behaviour]()
      const { pathname, search } = new URL(request.url)
      const response = await fetch(url + pathname + search, {
        method: request.method,
        headers: { 'content-type': 'application/json' },
        body: request.body ? await request.arrayBuffer() : null,
      })
      return new Response(await response.arrayBuffer(), { status: response.status })
    },
    0,
    '127.0.0.1',
  )
  return {
    url: `http://127.0.0.1:${server.port}`,
    behave(next: Behaviour) {
      behaviour = next
    },
    /** How many requests came since the last time. */
    requests() {
      const since = requests
      requests = 0
      return since
    },
    close: () => server.close(0),
  }
}
