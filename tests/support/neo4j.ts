import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from './free-port.ts'
import { killWithParent } from './process.ts'

export interface Neo4jServer {
  url: string
  stop(): Promise<void>
}

const patienceMs = 110_000

/**
 * A real Neo4j server: the one at NEO4J_TEST_URL, or one that is started by the script in
 * LEGAL_SUITE_BACKENDS. Where there is neither, the reason.
 */
export async function startNeo4j(): Promise<Neo4jServer | string> {
  const given = process.env.NEO4J_TEST_URL
  if (given) return { url: given, stop: async () => {} }
  const script = resolve(process.env.LEGAL_SUITE_BACKENDS ?? '../shared/backends', 'neo4j/start.sh')
  if (!existsSync(script))
    return 'no Neo4j server: neither NEO4J_TEST_URL nor LEGAL_SUITE_BACKENDS is set'
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-neo4j-'))
  const port = await freePort()
  if (!(await started(script, directory, port)))
    return `no Neo4j server: ${script} did not start one`
  const pid = Number(readFileSync(join(directory, 'neo4j.pid'), 'utf8'))
  const release = killWithParent({ pid })
  return {
    url: `bolt://127.0.0.1:${port}`,
    async stop() {
      process.kill(pid, 'SIGKILL')
      release()
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function started(script: string, directory: string, port: number): Promise<boolean> {
  const child = spawn('bash', [script, directory], {
    env: { ...process.env, NEO4J_BOLT_PORT: String(port) },
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
