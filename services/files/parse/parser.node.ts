import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { makeSemaphore } from '../../_kit/semaphore.ts'
import { findFormat } from './formats.ts'
import { ParseOutcome, type Parser, startedLine } from './parser.ts'
import { makeSandbox } from './sandbox.node.ts'

export interface ParserLimits {
  timeoutMs: number
  memoryMb: number
  /** Maximum number of concurrent parser processes. */
  processes: number
}

const main = fileURLToPath(new URL('./main.worker.ts', import.meta.url))

/** Parses each file in a sandboxed child process that can be killed. */
export function childParser(limits: ParserLimits): Parser {
  const withSlot = makeSemaphore(limits.processes)
  let startError: Error | undefined

  const parse = async (
    contentType: string,
    bytes: ReadableStream<Uint8Array>,
    signal: AbortSignal,
  ): Promise<ParseOutcome> => {
    const format = findFormat(contentType)
    if (!format) {
      await bytes.cancel()
      return { status: 'UNSUPPORTED', reason: `Content type ${contentType} is not supported.` }
    }
    return withSlot(async () => {
      signal.throwIfAborted()
      try {
        const outcome = await runChild(limits, format, bytes, signal)
        startError = undefined
        return outcome
      } catch (thrown) {
        if (thrown instanceof ParserStartError) startError = thrown
        throw thrown
      }
    })
  }

  return Object.assign(parse, {
    async check() {
      if (startError) throw startError
    },
  })
}

/** The parser process did not start. The reason is not in the file, so the file must not be marked FAILED. */
class ParserStartError extends Error {
  override name = 'ParserStartError'
}

async function runChild(
  { timeoutMs, memoryMb }: ParserLimits,
  format: string,
  bytes: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<ParseOutcome> {
  // The rest of the time is reserved for returning partial results.
  const until = Date.now() + timeoutMs * 0.8
  const { command, args, env } = await makeSandbox(memoryMb)
  const child = spawn(command, [...args, main, format, String(until)], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const output = text(child.stdout)
  const errorTail = collectTail(child.stderr, 2_000)
  const input = pipeInput(bytes, child.stdin)
  const failure = await superviseChild(child, { timeoutMs, memoryMb, signal }).catch((cause) => {
    throw new ParserStartError(`parser process did not start: ${cause.message}`, { cause })
  })
  signal.throwIfAborted()
  input.stop()
  if (failure) return failure
  const lines = (await output).trim().split('\n')
  if (lines[0] !== startedLine) {
    throw new ParserStartError(`parser process did not start: ${errorTail()}`)
  }
  return parseOutcome(lines.at(-1)!)
}

/** Keeps the end of a stream. */
function collectTail(stream: Readable, maxLength: number): () => string {
  let tail = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    tail = (tail + chunk).slice(-maxLength)
  })
  return () => tail
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

/** Parses the outcome. A child that crashed has written none. */
function parseOutcome(line: string): ParseOutcome {
  try {
    return ParseOutcome.parse(JSON.parse(line))
  } catch {
    return { status: 'FAILED', reason: 'The parser crashed on this file.' }
  }
}
