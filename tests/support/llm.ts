import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { freePort } from './free-port.ts'
import { killWithParent } from './process.ts'

export interface Llm {
  /** For AI_BASE_URL. */
  baseUrl: string
  model: string
  stop(): void
}

const startTimeoutMs = 100_000

/**
 * Provides a real model behind an OpenAI-compatible API: the one at TEST_AI_BASE_URL, or one started by the
 * script in LEGAL_SUITE_BACKENDS. Returns the reason if there is neither.
 */
export async function startLlm(): Promise<Llm | string> {
  const { TEST_AI_BASE_URL, TEST_AI_MODEL = 'default' } = process.env
  if (TEST_AI_BASE_URL) return { baseUrl: TEST_AI_BASE_URL, model: TEST_AI_MODEL, stop() {} }
  const script = resolve(process.env.LEGAL_SUITE_BACKENDS ?? '../shared/backends', 'llm/start.sh')
  if (!existsSync(script))
    return 'no model: neither TEST_AI_BASE_URL nor LEGAL_SUITE_BACKENDS is set'
  const port = await freePort()
  const pid = await runStartScript(script, port)
  if (pid === undefined) return `no model: ${script} did not start one`
  const release = killWithParent({ pid })
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    model: 'default',
    stop() {
      process.kill(pid)
      release()
    },
  }
}

/** Runs the start script. Its first run installs packages and continues in the background after the timeout. */
function runStartScript(script: string, port: number): Promise<number | undefined> {
  const child = spawn('bash', [script], {
    env: { ...process.env, LLM_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  child.unref()
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return new Promise((resolve) => {
    const timeout = setTimeout(resolve, startTimeoutMs, undefined)
    child.once('close', () => {
      clearTimeout(timeout)
      const pid = /pid (\d+)/.exec(output)?.[1]
      resolve(pid === undefined ? undefined : Number(pid))
    })
  })
}
