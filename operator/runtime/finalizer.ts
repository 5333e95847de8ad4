import type { Client } from './client.ts'
import type { KubeObject } from './objects.ts'
import { getObjectResource } from './resources.ts'

/** Adds a finalizer, so that a deleted object stays until `finalize` has run. */
export async function withFinalizer<T extends KubeObject>(
  client: Client,
  object: T,
  finalizer: string,
): Promise<T> {
  const { finalizers = [], deletionTimestamp } = object.metadata
  if (deletionTimestamp || finalizers.includes(finalizer)) return object
  return setFinalizers(client, object, [...finalizers, finalizer])
}

/** Cleans up after a deleted object and removes the finalizer after success. */
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

/** Fails with 409 if the object has changed: another controller may have added a finalizer. */
const setFinalizers = <T extends KubeObject>(client: Client, object: T, finalizers: string[]) => {
  const { resourceVersion, uid } = object.metadata
  return client.merge<T>(getObjectResource(object), object.metadata, {
    metadata: { resourceVersion, uid, finalizers },
  })
}
