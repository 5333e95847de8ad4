import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from './free-port.ts'
import { killWithParent } from './process.ts'
import { startStandIn } from './qdrant-stand-in/server.ts'

export interface QdrantServer {
  url: string
  ask(method: string, path: string, body?: unknown): Promise<any>
  /** Kills the server and starts it again on what it had written; where it is ours to kill. */
  restart?(): Promise<void>
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
  const running = () => {
    const pid = Number(readFileSync(join(directory, 'qdrant.pid'), 'utf8'))
    const release = killWithParent({ pid })
    return async (signal: NodeJS.Signals) => {
      process.kill(pid, signal)
      while (runs(pid)) await new Promise((resolve) => setTimeout(resolve, 20))
      release()
    }
  }
  let end = running()
  const server = serverAt(`http://127.0.0.1:${port}`, async () => {
    await end('SIGTERM')
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  })
  return {
    ...server,
    async restart() {
      await end('SIGKILL')
      if (!(await started(script, directory, port))) throw new Error('Qdrant did not start again')
      end = running()
    },
  }
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

const serverAt = (url: string, stop: () => Promise<void>): QdrantServer => ({
  url,
  stop,
  ask: asker(url),
})

/** Asks a server what the tests want to know of it. */
export const asker = (url: string) => async (method: string, path: string, body?: unknown) => {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return ((await response.json()) as { result: any }).result
}

/** The database, the stand-in, and the real server where one can be had: what the service is told of each. */
export async function searchBackends() {
  const [real, standIn] = await Promise.all([startQdrant(), startStandIn()])
  if (typeof real === 'string') console.warn(`skipped: ${real}`)
  const servers: { name: string; url: string; restart?: (() => Promise<void>) | undefined }[] = [
    { name: 'a stand-in for Qdrant', url: standIn.url },
    ...(typeof real === 'string'
      ? []
      : [{ name: 'Qdrant', url: real.url, restart: real.restart?.bind(real) }]),
  ]
  return {
    backends: [
      { name: 'the database', backend: 'database', env: {} as Record<string, string> },
      ...servers.map(({ name, url }) => ({ name, backend: 'qdrant', env: qdrantVariables(url) })),
    ],
    servers,
    async stop() {
      await standIn.stop()
      if (typeof real !== 'string') await real.stop()
    },
  }
}

export const qdrantVariables = (url: string): Record<string, string> => ({
  KNOWLEDGE_SEARCH_BACKEND: 'qdrant',
  QDRANT_URL: url,
  QDRANT_TIMEOUT_MS: '10000',
})
