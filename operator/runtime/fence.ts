import { FencedError } from './api-error.ts'
import type { Client, Writing } from './client.ts'
import { within } from './time.ts'

/** How long a write may still be under way, in milliseconds; nothing may be written at zero. */
export type Remaining = () => number

/**
 * The client of one reconcile. Its calls end with the signal, and a write is neither sent nor waited for
 * once another may lead.
 */
export function fencedClient(client: Client, signal: AbortSignal, remaining: Remaining): Client {
  const read = <O extends object>(options?: O) => ({ signal, ...options })

  async function write<T>(
    options: { signal?: AbortSignal | undefined } | undefined,
    send: (signal: AbortSignal) => Promise<T>,
  ) {
    const outer = options?.signal ?? signal
    outer.throwIfAborted()
    const left = remaining()
    if (left <= 0) throw new FencedError('not written: the lease may be lost')
    const limit = within(left, outer)
    return send(limit.signal).finally(limit.end)
  }

  const writing: Writing = {
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
