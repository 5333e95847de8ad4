import type { Log } from '../_kit/log.ts'

/** Field names whose values are never logged. */
export const hidden = ['key', 'token', 'authorization', 'password', 'content']

const levels = ['debug', 'info', 'warn', 'error', 'silent']

/** Writes the same lines as pino, for runtimes with a console and no streams. */
export function consoleLog(service: string, level = 'info'): Log {
  const write = (at: string) => (fields: object, msg: string) => {
    if (levels.indexOf(at) < levels.indexOf(level)) return
    const line = { level: at, time: new Date().toISOString(), service, ...fields, msg }
    console.log(JSON.stringify(line, (name, value) => (hidden.includes(name) ? '[hidden]' : value)))
  }
  return { info: write('info'), warn: write('warn'), error: write('error') }
}
