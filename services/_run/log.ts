import pino from 'pino'
import type { Log } from '../_kit/log.ts'
import { hidden } from './console-log.ts'

/**
 * Standard output, many lines at a time: a write for each would cost a tenth of a small request. They
 * leave within a tenth of a second, and when the process ends.
 */
const output = pino.destination({ fd: 1, sync: false, minLength: 4096, periodicFlush: 100 })

/** Structured lines on standard output. Whatever is named like a secret is never written. */
export function makeLog(service: string, level = 'info'): Log {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (fields) => shown(fields, 2) },
    },
    output,
  )
}

type Fields = Record<string, unknown>

/** In place of pino's own redaction, which with wildcards costs more than the rest of the line. */
function shown(fields: Fields, depth: number): Fields {
  let copy: Fields | undefined
  for (const name in fields) {
    const value = fields[name]
    let seen = value
    if (hidden.includes(name)) seen = '[hidden]'
    else if (depth > 1 && value !== null && typeof value === 'object') {
      seen = shown(value as Fields, depth - 1)
    }
    if (seen === value) continue
    copy ??= { ...fields }
    copy[name] = seen
  }
  return copy ?? fields
}
