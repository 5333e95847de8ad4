import type { Client } from '../../operator/runtime/client.ts'
import { makeInformer } from '../../operator/runtime/informer.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'
import { getResource } from '../../operator/runtime/resources.ts'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { eventually } from '../../tests/cluster/support.ts'

type Deployment = KubeObject & {
  spec: { template: { spec: { containers: { image: string }[] } } }
}

const suiteLabel = 'legalsuite.dev/suite'

/** Watches the images of all Deployments. */
export async function watchRollouts(client: Client, expected: number) {
  const informer = makeInformer<Deployment>({
    client,
    log: silent,
    metrics: makeMetrics(),
    resource: getResource('apps/v1', 'Deployment'),
    labelSelector: suiteLabel,
  })
  const stop = new AbortController()
  const running = informer.run(stop.signal)
  await eventually(() => {
    if (informer.list().length < expected) throw new Error('not all there')
  })

  function waitForImage(image: string, left: Set<string>) {
    return new Promise<void>((resolve) => {
      const end = informer.subscribe(({ object: { metadata, spec } }) => {
        if (spec.template.spec.containers[0]!.image === image) left.delete(metadata.uid!)
        if (left.size > 0) return
        end()
        resolve()
      })
    })
  }

  return {
    /** Returns the milliseconds from the change until the last Deployment of the suite has the image. */
    async measure(
      namespace: string,
      suite: string,
      version: string,
      change: () => Promise<unknown>,
    ): Promise<number> {
      const deployments = informer
        .list()
        .filter(
          ({ metadata }) =>
            metadata.namespace === namespace && metadata.labels?.[suiteLabel] === suite,
        )
      const done = waitForImage(
        `legal-suite:${version}`,
        new Set(deployments.map(({ metadata }) => metadata.uid!)),
      )
      const startedAt = performance.now()
      const changed = change()
      await Promise.race([done, changed.then(() => done)])
      const durationMs = performance.now() - startedAt
      await changed
      return durationMs
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}
