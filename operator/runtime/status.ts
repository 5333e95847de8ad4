import { isDeepStrictEqual } from 'node:util'
import { fieldManager } from './apply.ts'
import type { Client } from './client.ts'
import type { KubeObject } from './objects.ts'
import { getObjectResource } from './resources.ts'

/**
 * Writes statuses by server-side apply if they changed. Remembers what the server made of a status (defaults,
 * dropped fields), so that it is not written again and again.
 */
export function makeStatusWriter() {
  const written = new Map<string, { desired: unknown; stored: unknown }>()

  /** Returns the object with this status. */
  return async function writeStatus<T extends KubeObject & { status?: unknown }>(
    client: Client,
    object: T,
    status: object,
  ): Promise<T> {
    const { apiVersion, kind, metadata } = object
    const { name, namespace, uid } = metadata
    const desired = JSON.parse(JSON.stringify(status))
    if (isDeepStrictEqual(desired, object.status)) return object
    const before = written.get(uid!)
    const isUnchanged =
      isDeepStrictEqual(before?.desired, desired) &&
      isDeepStrictEqual(before?.stored, object.status)
    if (isUnchanged) return object

    const body = {
      apiVersion,
      kind,
      metadata: { name, namespace, uid },
      status: desired,
    } as unknown as T
    const options = { fieldManager, force: true, subresource: 'status' } as const
    const result = await client.apply(getObjectResource(object), body, options)
    if (isDeepStrictEqual(result.status, desired)) written.delete(uid!)
    else written.set(uid!, { desired, stored: result.status })
    return result
  }
}
