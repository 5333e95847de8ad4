import type { Log } from '../_kit/log.ts'
import { hidden, isLogged } from './console-log.ts'

type Fields = Record<string, unknown>

/** Fields of a request that identify it for programs and are noise for people. */
const omitted = ['request_id', 'trace_id', 'run']

/**
 * Writes readable lines for a terminal: time, service, message and fields. A line that is no information
 * names its level; an error is followed by its stack.
 */
export function textLog(service: string, level: string, write: (line: string) => void): Log {
  const writeAt = (at: string) => (fields: object, message: string) => {
    if (!isLogged(at, level)) return
    const { stack, ...all } = fields as Fields
    const time = new Date().toTimeString().slice(0, 8)
    const prefix = at === 'info' ? '' : `${at.toUpperCase()} `
    const shown = Object.entries(all).filter(([name]) => !omitted.includes(name))
    const text = [message, ...shown.map(([name, value]) => `${name}=${formatValue(name, value)}`)]
    const trace = at === 'error' && typeof stack === 'string' ? `\n${printable(stack)}` : ''
    write(`${time} ${service.padEnd(22)} ${prefix}${text.join(' ')}${trace}`)
  }
  return { info: writeAt('info'), warn: writeAt('warn'), error: writeAt('error') }
}

function formatValue(name: string, value: unknown): string {
  if (hidden.includes(name)) return '[hidden]'
  if (typeof value === 'string' && !/[\s\p{Cc}]/u.test(value)) return value
  const json = JSON.stringify(value, (key, inner) => (hidden.includes(key) ? '[hidden]' : inner))
  return printable(json ?? 'undefined')
}

/** Removes control characters, with which a text could rewrite the terminal. */
const printable = (text: string) => text.replace(/(?![\n\t])\p{Cc}/gu, '')
