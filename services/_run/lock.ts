import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { ConfigError } from '../_kit/config.ts'

/**
 * Keeps a second process away from a directory: two on one embedded database destroy it. The lock is a
 * file with our process in it; one whose process is gone is taken over.
 */
export function lock(file: string): () => void {
  const ownFile = `${file}.${process.pid}`
  writeFileSync(ownFile, identityOf(process.pid) ?? '')
  try {
    while (!link(ownFile, file)) removeStaleLock(file)
  } finally {
    unlinkSync(ownFile)
  }
  return () => {
    if (holderOf(file) === identityOf(process.pid)) unlinkSync(file)
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw cause
  }
}

/** Moves a dead process's lock out of the way; throws when its process lives. */
function removeStaleLock(file: string) {
  const holder = holderOf(file)
  if (holder === undefined) return
  const pid = Number(holder.split(' ')[0])
  if (identityOf(pid) === holder) {
    throw new ConfigError(`Process ${pid} works on this data directory already; stop it first.`)
  }
  // Renamed before it is removed: of two who find it dead, one may hold a lock of the other's by now.
  const aside = `${file}.dead.${process.pid}`
  try {
    renameSync(file, aside)
  } catch {
    return
  }
  if (holderOf(aside) !== holder) link(aside, file)
  unlinkSync(aside)
}

function holderOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** A process by number and, where the system tells it, by when it started: numbers come again. */
function identityOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EPERM') return undefined
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return `${pid} ${stat.slice(stat.lastIndexOf(')')).split(' ')[20]}`
  } catch {
    return `${pid}`
  }
}
