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
  /** How many at a time; the others wait. */
  processes: number
}

const main = fileURLToPath(new URL('./main.worker.ts', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Each file is parsed in a process of its own, which may do no harm and can be ended. */
export function childParser({ timeoutMs, memoryMb, processes }: ParserLimits): Parser {
  const withSlot = makeSemaphore(processes)
  return async (contentType, bytes, signal) => {
    const format = formatOf(contentType)
    if (!format) {
      await bytes.cancel()
      return { status: 'UNSUPPORTED', reason: `Files of type ${contentType} are not parsed.` }
    }
    return withSlot(async () => {
      signal.throwIfAborted()
      // Time is kept to answer with what was found so far.
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

/** A child may end before it has read everything; a storage that fails is another matter. */
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

/** It may read what is installed here and start threads: no writing, no other processes, on Deno no network either. */
const runtimeFlags = (memoryMb: number) => ('Deno' in globalThis ? denoFlags : nodeFlags)(memoryMb)

const nodeFlags = (memoryMb: number) => [
  ...['--permission', `--allow-fs-read=${root}`, '--allow-worker'],
  ...['--no-warnings', `--max-old-space-size=${memoryMb}`],
]

const denoFlags = (memoryMb: number) => [
  ...['run', '--no-prompt', '--no-config', '--node-modules-dir=manual'],
  ...[`--allow-read=${root}`, '--allow-env', '--allow-sys'],
  // The reader of DOCX sets `__proto__`, which is otherwise left out here.
  ...['--unstable-unsafe-proto', `--v8-flags=--max-old-space-size=${memoryMb}`],
]

/** Comes back when the child has ended: with an outcome where it had to be ended. */
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
    () => kill(`Parsing took longer than ${timeoutMs / 1000} seconds.`),
    timeoutMs,
  )
  const memoryCheck = setInterval(async () => {
    const used = await residentMb(child.pid)
    if (used > memoryMb) kill(`Parsing took more than ${memoryMb} MB of memory.`)
  }, 100)
  const stop = () => kill('Parsing was stopped.')
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

/** As Linux tells it; elsewhere the heap alone is bounded. */
async function residentMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024
}

/** The last line it said; a child that died on its own said none. */
function parseOutcome(output: string): ParseOutcome {
  try {
    return ParseOutcome.parse(JSON.parse(output.trim().split('\n').at(-1)!))
  } catch {
    return {
      status: 'FAILED',
      reason: 'The file could not be parsed: the parser broke down over it.',
    }
  }
}
