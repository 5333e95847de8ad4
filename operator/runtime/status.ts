import { isDeepStrictEqual } from 'node:util'
import { fieldManager } from './apply.ts'
import type { Client } from './client.ts'
import type { KubeObject } from './objects.ts'
import { resourceOfObject } from './resources.ts'

/**
 * Writes whole statuses, by server-side apply, and only those that differ from what is there. What the server
 * made of a status (a default filled in, a field dropped) is remembered, so that it is not written for ever.
 */
export function makeStatusWriter() {
  const written = new Map<string, { wanted: unknown; kept: unknown }>()

  /** The object as it is with this status, whether that was written or there already. */
  return async function writeStatus<T extends KubeObject & { status?: unknown }>(
    client: Client,
    object: T,
    status: object,
  ): Promise<T> {
    const { apiVersion, kind, metadata } = object
    const { name, namespace, uid } = metadata
    const wanted = JSON.parse(JSON.stringify(status))
    if (isDeepStrictEqual(wanted, object.status)) return object
    const before = written.get(uid!)
    const known =
      isDeepStrictEqual(before?.wanted, wanted) && isDeepStrictEqual(before?.kept, object.status)
    if (known) return object

    const body = {
      apiVersion,
      kind,
      metadata: { name, namespace, uid },
      status: wanted,
    } as unknown as T
    const options = { fieldManager, force: true, subresource: 'status' } as const
    const result = await client.apply(resourceOfObject(object), body, options)
    if (isDeepStrictEqual(result.status, wanted)) written.delete(uid!)
    else written.set(uid!, { wanted, kept: result.status })
    return result
  }
}
