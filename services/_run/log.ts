import { setTimeout } from 'node:timers'
import pino from 'pino'
import type { Log } from '../_kit/log.ts'
import { hidden } from './console-log.ts'

/**
 * Standard output, many lines at a time: a write for each would cost a tenth of a small request. They
 * leave within a tenth of a second, and when the process ends.
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

/** Structured lines on standard output. Whatever is named like a secret is never written. */
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

/** pino's isoTime, made once in a millisecond. */
function timestamp(): string {
  const time = Date.now()
  if (time !== now) {
    now = time
    nowText = `,"time":"${new Date(time).toISOString()}"`
  }
  return nowText
}

type Fields = Record<string, unknown>

/** In place of pino's own redaction, which with wildcards costs more than the rest of the line. */
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
