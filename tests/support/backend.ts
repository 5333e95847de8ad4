import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from './free-port.ts'
import { killWithParent } from './process.ts'

export interface BackendOptions {
  name: string
  /** Folder of the start script in LEGAL_SUITE_BACKENDS. */
  folder: string
  /** Environment variable with the URL of a running server, used instead of starting one. */
  urlVariable: string
  /** Environment variable by which the start script takes its port. */
  portVariable: string
  pidFile: string
  buildUrl(port: number): string
  /** The first start may install the server. */
  timeoutMs: number
}

export interface Backend {
  url: string
  /** Kills the server and starts it on the same data. Undefined for a server at `urlVariable`. */
  restart: (() => Promise<void>) | undefined
  stop(): Promise<void>
}

/**
 * Starts a real backend server: the one at `urlVariable`, or one by the start script in
 * LEGAL_SUITE_BACKENDS. Returns the reason if neither is available.
 */
export async function startBackend(options: BackendOptions): Promise<Backend | string> {
  const { name, folder, urlVariable, timeoutMs } = options
  const existing = process.env[urlVariable]
  if (existing) return { url: existing, restart: undefined, stop: async () => {} }
  const root = process.env.LEGAL_SUITE_BACKENDS ?? '../shared/backends'
  const script = resolve(root, folder, 'start.sh')
  if (!existsSync(script)) {
    return `no ${name} server: neither ${urlVariable} nor LEGAL_SUITE_BACKENDS is set`
  }
  const directory = mkdtempSync(join(tmpdir(), `legal-suite-${folder}-`))
  // The server may run as another user.
  chmodSync(directory, 0o755)
  const port = await freePort()
  const start = () =>
    runScript(script, directory, { [options.portVariable]: String(port) }, timeoutMs)
  if (!(await start())) return `no ${name} server: ${script} failed`
  const pidFile = join(directory, options.pidFile)
  let kill = superviseServer(pidFile)
  return {
    url: options.buildUrl(port),
    async restart() {
      await kill('SIGKILL')
      if (!(await start())) throw new Error(`${name} did not restart`)
      kill = superviseServer(pidFile)
    },
    async stop() {
      await kill('SIGTERM')
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Runs a start script. It is not killed at the time-out, so that an installation can finish. */
function runScript(
  script: string,
  directory: string,
  variables: Record<string, string>,
  timeoutMs: number,
): Promise<boolean> {
  const child = spawn('bash', [script, directory], {
    env: { ...process.env, ...variables },
    stdio: 'ignore',
    detached: true,
  })
  child.unref()
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs, false)
    child.once('exit', (code) => {
      clearTimeout(timer)
      resolve(code === 0)
    })
  })
}

/** Kills the server with this process. Returns a function that kills it and waits for its exit. */
function superviseServer(pidFile: string) {
  const pid = Number(readFileSync(pidFile, 'utf8'))
  const release = killWithParent({ pid })
  return async (signal: NodeJS.Signals) => {
    process.kill(pid, signal)
    const killAt = Date.now() + 5_000
    while (isRunning(pid)) {
      if (Date.now() > killAt) process.kill(pid, 'SIGKILL')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    release()
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
