import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { makeSemaphore } from '../../_kit/semaphore.ts'
import { formatOf } from './formats.ts'
import { ParseOutcome, type Parser } from './parser.ts'

export interface ParserLimits {
  timeoutMs: number
  memoryMb: number
  /** Maximum number of concurrent parser processes. */
  processes: number
}

const main = fileURLToPath(new URL('./main.worker.ts', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Parses each file in a sandboxed child process that can be killed. */
export function childParser({ timeoutMs, memoryMb, processes }: ParserLimits): Parser {
  const withSlot = makeSemaphore(processes)
  return async (contentType, bytes, signal) => {
    const format = formatOf(contentType)
    if (!format) {
      await bytes.cancel()
      return { status: 'UNSUPPORTED', reason: `Content type ${contentType} is not supported.` }
    }
    return withSlot(async () => {
      signal.throwIfAborted()
      // The rest of the time is reserved for returning partial results.
      const until = Date.now() + timeoutMs * 0.8
      const child = spawn(
        process.execPath,
        [...runtimeFlags(memoryMb), main, format, String(until)],
        {
          env: {},
          stdio: ['pipe', 'pipe', 'ignore'],
        },
      )
      const output = text(child.stdout)
      const input = pipeInput(bytes, child.stdin)
      const failure = await superviseChild(child, { timeoutMs, memoryMb, signal })
      signal.throwIfAborted()
      input.stop()
      return failure ?? parseOutcome(await output)
    })
  }
}

/**
 * Pipes the file to the child. A child that exits early is not an error; a failing storage is, and `stop`
 * rethrows it.
 */
function pipeInput(bytes: ReadableStream<Uint8Array>, to: Writable) {
  let failure: unknown
  async function* source() {
    try {
      yield* bytes
    } catch (thrown) {
      failure = thrown
    }
  }
  const stopped = new AbortController()
  pipeline(source(), to, { signal: stopped.signal }).catch(() => {})
  return {
    stop() {
      stopped.abort()
      if (failure) throw failure
    },
  }
}

/**
 * Permissions of the child: read the installed code and start threads; no writes, no processes and on Deno no
 * network.
 */
const runtimeFlags = (memoryMb: number) => ('Deno' in globalThis ? denoFlags : nodeFlags)(memoryMb)

const nodeFlags = (memoryMb: number) => [
  ...['--permission', `--allow-fs-read=${root}`, '--allow-worker'],
  ...['--no-warnings', `--max-old-space-size=${memoryMb}`],
]

const denoFlags = (memoryMb: number) => [
  ...['run', '--no-prompt', '--no-config', '--node-modules-dir=manual'],
  ...[`--allow-read=${root}`, '--allow-env', '--allow-sys'],
  // mammoth sets `__proto__`, which Deno disables by default.
  ...['--unstable-unsafe-proto', `--v8-flags=--max-old-space-size=${memoryMb}`],
]

/** Waits for the child to exit. Returns a FAILED outcome if it was killed for exceeding a limit. */
function superviseChild(
  child: ChildProcess,
  limits: Omit<ParserLimits, 'processes'> & { signal: AbortSignal },
) {
  const { timeoutMs, memoryMb, signal } = limits
  let reason: string | undefined
  const kill = (why: string) => {
    reason ??= why
    child.kill('SIGKILL')
  }
  const timer = setTimeout(
    () => kill(`Parsing exceeded the time limit of ${timeoutMs / 1000} seconds.`),
    timeoutMs,
  )
  const memoryCheck = setInterval(async () => {
    const used = await residentMb(child.pid)
    if (used > memoryMb) kill(`Parsing exceeded the memory limit of ${memoryMb} MB.`)
  }, 100)
  const stop = () => kill('Parsing was cancelled.')
  signal.addEventListener('abort', stop)
  return new Promise<ParseOutcome | undefined>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () =>
      resolve(reason === undefined ? undefined : { status: 'FAILED', reason }),
    )
  }).finally(() => {
    clearTimeout(timer)
    clearInterval(memoryCheck)
    signal.removeEventListener('abort', stop)
  })
}

/** Resident memory of a process on Linux. Other systems only bound the heap. */
async function residentMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024
}

/** Parses the last line of the output. A child that crashed has written none. */
function parseOutcome(output: string): ParseOutcome {
  try {
    return ParseOutcome.parse(JSON.parse(output.trim().split('\n').at(-1)!))
  } catch {
    return {
      status: 'FAILED',
      reason: 'The parser crashed on this file.',
    }
  }
}
