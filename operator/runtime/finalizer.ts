import type { Client } from './client.ts'
import type { KubeObject } from './objects.ts'
import { resourceOfObject } from './resources.ts'

/** Keeps the object, once it is deleted, until `finalize` has run. */
export async function withFinalizer<T extends KubeObject>(
  client: Client,
  object: T,
  finalizer: string,
): Promise<T> {
  const { finalizers = [], deletionTimestamp } = object.metadata
  if (deletionTimestamp || finalizers.includes(finalizer)) return object
  return setFinalizers(client, object, [...finalizers, finalizer])
}

/** Cleans up after a deleted object, and lets it go only when that has succeeded. */
export async function finalize(
  client: Client,
  object: KubeObject,
  finalizer: string,
  cleanUp: () => Promise<void>,
): Promise<void> {
  const { finalizers = [], deletionTimestamp } = object.metadata
  if (!deletionTimestamp || !finalizers.includes(finalizer)) return
  await cleanUp()
  await setFinalizers(
    client,
    object,
    finalizers.filter((other) => other !== finalizer),
  )
}

/** Refused with 409 when the object changed since: another may have set a finalizer of theirs. */
const setFinalizers = <T extends KubeObject>(client: Client, object: T, finalizers: string[]) => {
  const { resourceVersion, uid } = object.metadata
  return client.merge<T>(resourceOfObject(object), object.metadata, {
    metadata: { resourceVersion, uid, finalizers },
  })
}
