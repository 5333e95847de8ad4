import type { Log } from '../../services/_kit/log.ts'
import type { Metrics } from '../../services/_kit/metrics.ts'
import type { Client } from './client.ts'
import {
  type Informer,
  type InformerOptions,
  type InformerTiming,
  makeInformer,
  type RunningInformer,
} from './informer.ts'
import type { KubeObject, Resource } from './objects.ts'

type InformersDeps = {
  client: Client
  log: Log
  metrics: Metrics
  namespaces: string[]
  timing?: Partial<InformerTiming>
}

/** All informers of the process, shared by selection. */
export function makeInformers({ namespaces, ...deps }: InformersDeps) {
  const shared = new Map<string, Informer<KubeObject>>()
  const running: RunningInformer<KubeObject>[] = []
  const scopes = namespaces.length ? namespaces : [undefined]
  const findInformers = (namespace: string | undefined) =>
    running.filter((each) => each.namespace === undefined || each.namespace === namespace)
  /** Returns why a namespace may not be read. */
  const deniedReason = (namespace: string | undefined) =>
    findInformers(namespace).find(({ denied }) => denied)?.denied

  return {
    informerFor<T extends KubeObject>(
      resource: Resource,
      options: InformerOptions<T> = {},
    ): Informer<T> {
      const { indexes, trim, ...selectors } = options
      const shape = [Object.keys(indexes ?? {}), trim?.name]
      const key = JSON.stringify([resource, selectors, ...shape])
      const existing = shared.get(key)
      if (existing) return existing as unknown as Informer<T>
      const informers = scopes.map((namespace) =>
        makeInformer<T>({ ...deps, resource, namespace, ...options }),
      )
      running.push(...(informers as unknown as RunningInformer<KubeObject>[]))
      const informer = informers.length === 1 ? informers[0]! : joinInformers(informers)
      shared.set(key, informer as unknown as Informer<KubeObject>)
      return informer
    },
    run: async (signal: AbortSignal) =>
      void (await Promise.all(running.map((informer) => informer.run(signal)))),
    /**
     * Informers that are not synced, or idle for longer than `idleMs`. A namespace that may not be read does
     * not count as long as another one can be read.
     */
    staleInformers(idleMs: number): string[] {
      const isReadable = (each: RunningInformer<KubeObject>) => !deniedReason(each.namespace)
      const readable = running.filter(isReadable)
      const stale = (readable.length ? readable : running).filter(
        (informer) => !informer.synced || informer.idleMs() > idleMs,
      )
      return stale.map(({ resource }) => resource.plural)
    },
    deniedReason,
    /** Whether all objects of a namespace are cached. */
    isSynced: (namespace: string | undefined) =>
      findInformers(namespace).every((informer) => informer.synced && !informer.denied),
    measure() {
      for (const informer of running) informer.measure()
    },
  }
}

/** Combines the informers of several namespaces. */
function joinInformers<T extends KubeObject>(informers: RunningInformer<T>[]): Informer<T> {
  return {
    resource: informers[0]!.resource,
    get(key) {
      for (const part of informers) {
        const found = part.get(key)
        if (found) return found
      }
      return undefined
    },
    list: () => informers.flatMap((part) => part.list()),
    by: (index, value) => informers.flatMap((part) => part.by(index, value)),
    subscribe(handler) {
      const ends = informers.map((part) => part.subscribe(handler))
      return () => {
        for (const end of ends) end()
      }
    },
    observe: (object) =>
      informers.find(({ namespace }) => namespace === object.metadata.namespace)?.observe(object),
    get synced() {
      return informers.every((part) => part.synced)
    },
    get denied() {
      return informers.find((part) => part.denied)?.denied
    },
    idleMs: () => Math.max(...informers.map((part) => part.idleMs())),
  }
}
