import { FencedError } from './api-error.ts'
import type { Client, WriteClient } from './client.ts'
import { withDeadline } from './time.ts'

/** Milliseconds for which a write may still run. Writes are forbidden at 0. */
export type Remaining = () => number

/**
 * Wraps the client for one reconcile. Calls end with the signal, and writes are neither sent nor awaited once
 * another process may lead.
 */
export function fencedClient(client: Client, signal: AbortSignal, remaining: Remaining): Client {
  const read = <O extends object>(options?: O) => ({ signal, ...options })

  async function write<T>(
    options: { signal?: AbortSignal | undefined } | undefined,
    send: (signal: AbortSignal) => Promise<T>,
  ) {
    const outer = options?.signal ?? signal
    outer.throwIfAborted()
    const remainingMs = remaining()
    if (remainingMs <= 0) throw new FencedError('write rejected: the lease may be lost')
    const deadline = withDeadline(remainingMs, outer)
    return send(deadline.signal).finally(deadline.end)
  }

  const writing: WriteClient = {
    create: (resource, object, options) =>
      write(options, (signal) => client.create(resource, object, { ...options, signal })),
    replace: (resource, object, options) =>
      write(options, (signal) => client.replace(resource, object, { ...options, signal })),
    apply: (resource, object, options) =>
      write(options, (signal) => client.apply(resource, object, { ...options, signal })),
    merge: (resource, ref, patch, options) =>
      write(options, (signal) => client.merge(resource, ref, patch, { ...options, signal })),
    delete: (resource, ref, options) =>
      write(options, (signal) => client.delete(resource, ref, { ...options, signal })),
  }
  return {
    ...client,
    get: (resource, ref, options) => client.get(resource, ref, read(options)),
    list: (resource, options) => client.list(resource, read(options)),
    pages: (resource, options) => client.pages(resource, read(options)),
    ...writing,
  }
}
