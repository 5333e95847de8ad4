import { setTimeout } from 'node:timers'
import pino from 'pino'
import type { Log } from '../_kit/log.ts'
import { hidden } from './console-log.ts'

/**
 * Buffers lines for standard output: one write per line would cost a tenth of a small request. Flushes
 * within 100 ms and when the process ends.
 */
const output = { write: buffer }
const stdout = pino.destination({ fd: 1, sync: true })
let lines = ''
process.on('exit', flush)

function buffer(line: string) {
  if (lines === '') setTimeout(flush, 100).unref()
  lines += line
  if (lines.length > 8192) flush()
}

function flush() {
  if (lines !== '') stdout.write(lines)
  lines = ''
}

/** Makes a JSON logger on standard output. Values of secret-like fields are redacted. */
export function makeLog(service: string, level = 'info'): Log {
  return pino(
    {
      level,
      base: { service },
      timestamp,
      formatters: { level: (label) => ({ level: label }), log: (fields) => redact(fields, 2) },
    },
    output,
  )
}

let now = 0
let nowText = ''

/** Like pino's isoTime, formatted once per millisecond. */
function timestamp(): string {
  const time = Date.now()
  if (time !== now) {
    now = time
    nowText = `,"time":"${new Date(time).toISOString()}"`
  }
  return nowText
}

type Fields = Record<string, unknown>

/** Redacts secrets. pino's own redaction with wildcards costs more than the rest of a line. */
function redact(fields: Fields, depth: number): Fields {
  let copy: Fields | undefined
  for (const name in fields) {
    const value = fields[name]
    let seen = value
    if (hidden.includes(name)) seen = '[hidden]'
    else if (depth > 1 && value !== null && typeof value === 'object') {
      seen = redact(value as Fields, depth - 1)
    }
    if (seen === value) continue
    copy ??= { ...fields }
    copy[name] = seen
  }
  return copy ?? fields
}
