import { writeSync } from 'node:fs'
import { setTimeout } from 'node:timers'
import type { Log } from '../_kit/log.ts'
import type { HostConfig } from './config.ts'
import { jsonLog } from './console-log.ts'
import { textLog } from './text-log.ts'

/**
 * Buffers lines for standard output: one write per line would cost a tenth of a small request. Flushes
 * within 100 ms and when the process ends.
 */
let lines = ''
process.on('exit', flush)

function bufferLine(line: string) {
  if (lines === '') setTimeout(flush, 100).unref()
  lines += `${line}\n`
  if (lines.length > 8192) flush()
}

function flush() {
  const text = lines
  lines = ''
  try {
    const bytes = Buffer.from(text)
    const written = writeSync(1, bytes)
    if (written < bytes.length) retryLater(bytes.subarray(written).toString())
  } catch (thrown) {
    // The reader of a pipe may be slow. Lines for a closed pipe are dropped.
    if ((thrown as NodeJS.ErrnoException).code === 'EAGAIN') retryLater(text)
  }
}

function retryLater(rest: string) {
  lines = rest + lines
  setTimeout(flush, 20).unref()
}

type LogConfig = Pick<HostConfig, 'LOG_LEVEL' | 'LOG_FORMAT'>

/** Makes a logger on standard output: JSON, or readable lines in a terminal. */
export function makeLog(service: string, { LOG_LEVEL, LOG_FORMAT }: LogConfig): Log {
  const format = LOG_FORMAT ?? (process.stdout.isTTY ? 'text' : 'json')
  return (format === 'text' ? textLog : jsonLog)(service, LOG_LEVEL, bufferLine)
}
