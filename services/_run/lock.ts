import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../_kit/config.ts'

/** A killed holder releases the lock when it exits, which takes a moment on a busy machine. */
const waitMs = 2_000

/**
 * Locks a directory against a second process, because two processes would destroy the embedded database.
 * SQLite holds a kernel lock on the file (fcntl), which Node does not offer directly. The kernel releases
 * it when the process exits in any way, and enforces it across containers that share the volume.
 */
export function lock(file: string): () => void {
  const handle = new DatabaseSync(file, { timeout: waitMs })
  try {
    handle.exec('pragma journal_mode = memory; begin exclusive')
  } catch (cause) {
    handle.close()
    if ((cause as { errcode?: number }).errcode !== sqliteBusy) throw cause
    throw new ConfigError('Another process uses this data directory. Stop it first.')
  }
  return () => handle.close()
}

const sqliteBusy = 5
