import type { Client } from '../../operator/runtime/client.ts'
import { makeInformer } from '../../operator/runtime/informer.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'
import { resourceOf } from '../../operator/runtime/resources.ts'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { eventually } from '../../tests/cluster/support.ts'

type Deployment = KubeObject & {
  spec: { template: { spec: { containers: { image: string }[] } } }
}

const suiteLabel = 'legalsuite.dev/suite'

/** Sees when the Deployments of a suite have got an image, by a watch over all of them. */
export async function watchRollouts(client: Client, expected: number) {
  const informer = makeInformer<Deployment>({
    client,
    log: silent,
    metrics: makeMetrics(),
    resource: resourceOf('apps/v1', 'Deployment'),
    labelSelector: suiteLabel,
  })
  const stop = new AbortController()
  const running = informer.run(stop.signal)
  await eventually(() => {
    if (informer.list().length < expected) throw new Error('not all there')
  })

  /** Resolves when the last of them has it. */
  function allHave(image: string, left: Set<string>) {
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
    /** Milliseconds from the change to the last Deployment having the image of that version. */
    async timed(
      namespace: string,
      suite: string,
      version: string,
      change: () => Promise<unknown>,
    ): Promise<number> {
      const those = informer
        .list()
        .filter(
          ({ metadata }) =>
            metadata.namespace === namespace && metadata.labels?.[suiteLabel] === suite,
        )
      const done = allHave(
        `legal-suite:${version}`,
        new Set(those.map(({ metadata }) => metadata.uid!)),
      )
      const begun = performance.now()
      const changed = change()
      await Promise.race([done, changed.then(() => done)])
      const took = performance.now() - begun
      await changed
      return took
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}
