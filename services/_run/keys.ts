import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../_kit/config.ts'
import { type Keys, splitKeys } from '../_kit/keys.ts'

/**
 * Reads keys from a directory every second. Kubernetes replaces a mounted secret at any time, so a read
 * that fails or finds no key keeps the previous keys.
 */
export function keysFromDirectory(directory: string, everyMs = 1_000) {
  let keys = read(directory)
  if (!keys) throw new ConfigError(`INTERNAL_API_KEY_DIR: no key in ${join(directory, 'current')}`)
  const timer = setInterval(() => {
    keys = read(directory) ?? keys
  }, everyMs)
  timer.unref()
  return { keys: (): Keys => keys!, stop: () => clearInterval(timer) }
}

function read(directory: string): Keys | undefined {
  const lines = (file: string) => splitKeys(readFileSync(join(directory, file), 'utf8'), /\n/)
  try {
    const [current] = lines('current')
    if (!current) return undefined
    return { current, accepted: optional(() => lines('accepted')) }
  } catch {
    return undefined
  }
}

const optional = (read: () => string[]): string[] => {
  try {
    return read()
  } catch {
    return []
  }
}
