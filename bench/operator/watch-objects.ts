import type { Client } from '../../operator/runtime/client.ts'
import { makeInformer } from '../../operator/runtime/informer.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'
import { getResource } from '../../operator/runtime/resources.ts'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'

/** Watches the objects of all suites of one kind. */
export function watchObjects<T extends KubeObject>(
  client: Client,
  apiVersion: string,
  kind: string,
) {
  const informer = makeInformer<T>({
    client,
    log: silent,
    metrics: makeMetrics(),
    resource: getResource(apiVersion, kind),
    ...(kind === 'LegalSuite' ? {} : { labelSelector: 'legalsuite.dev/suite' }),
  })
  const stop = new AbortController()
  const running = informer.run(stop.signal)
  return {
    /** Resolves with the first change after which the predicate holds. */
    until: (predicate: (get: (key: string) => T | undefined) => boolean) =>
      new Promise<void>((resolve) => {
        const isDone = () => predicate((key) => informer.get(key))
        const end = informer.subscribe(() => {
          if (!isDone()) return
          end()
          resolve()
        })
        if (!isDone()) return
        end()
        resolve()
      }),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

export type Watched<T extends KubeObject> = ReturnType<typeof watchObjects<T>>
