import pino, { type DestinationStream } from 'pino'
import type { Log } from '../../services/_kit/log.ts'

/** Fields with these names are redacted. */
const redactedNames = ['token', 'key', 'password', 'authorization', 'data', 'stringData']
const paths = redactedNames.flatMap((name) => [name, `*.${name}`])

/** Structured log. Default destination: standard output. */
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
