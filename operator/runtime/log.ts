import pino, { type DestinationStream } from 'pino'
import type { Log } from '../../services/_kit/log.ts'

/** What is named like this is never written. */
const hidden = ['token', 'key', 'password', 'authorization', 'data', 'stringData']
const paths = hidden.flatMap((name) => [name, `*.${name}`])

/** Structured lines, on standard output unless it says otherwise. */
export const makeLog = (level: string, to: DestinationStream = pino.destination(1)): Log =>
  pino(
    {
      level,
      base: { component: 'legal-suite-operator' },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths, censor: '[hidden]' },
    },
    to,
  )
