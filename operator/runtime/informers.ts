import type { Log } from '../../services/_kit/log.ts'
import type { Metrics } from '../../services/_kit/metrics.ts'
import type { Client } from './client.ts'
import {
  type Informer,
  type InformerOptions,
  makeInformer,
  type Pace,
  type RunningInformer,
} from './informer.ts'
import type { KubeObject, Resource } from './objects.ts'

type Given = {
  client: Client
  log: Log
  metrics: Metrics
  namespaces: string[]
  pace?: Partial<Pace>
}

/** The informers of a process: one for each selection, whoever asks for it. */
export function makeInformers({ namespaces, ...given }: Given) {
  const shared = new Map<string, Informer<KubeObject>>()
  const running: RunningInformer<KubeObject>[] = []
  const places = namespaces.length ? namespaces : [undefined]

  return {
    of<T extends KubeObject>(resource: Resource, options: InformerOptions<T> = {}): Informer<T> {
      const { indexes, ...selectors } = options
      const key = JSON.stringify([resource, selectors, Object.keys(indexes ?? {})])
      const known = shared.get(key)
      if (known) return known as unknown as Informer<T>
      const parts = places.map((namespace) =>
        makeInformer<T>({ ...given, resource, namespace, ...options }),
      )
      running.push(...(parts as unknown as RunningInformer<KubeObject>[]))
      const informer = parts.length === 1 ? parts[0]! : joined(parts)
      shared.set(key, informer as unknown as Informer<KubeObject>)
      return informer
    },
    /** Until the signal. */
    run: async (signal: AbortSignal) =>
      void (await Promise.all(running.map((informer) => informer.run(signal)))),
    /** Those that do not know how things stand: not listed yet, or not heard of for too long. */
    blind(silence: number): string[] {
      const blind = running.filter((informer) => !informer.synced || informer.silence() > silence)
      return blind.map(({ resource }) => resource.plural)
    },
    measure() {
      for (const informer of running) informer.measure()
    },
  }
}

/** Several namespaces seen as one. */
function joined<T extends KubeObject>(parts: RunningInformer<T>[]): Informer<T> {
  return {
    resource: parts[0]!.resource,
    get(key) {
      for (const part of parts) {
        const found = part.get(key)
        if (found) return found
      }
      return undefined
    },
    list: () => parts.flatMap((part) => part.list()),
    by: (index, value) => parts.flatMap((part) => part.by(index, value)),
    subscribe(handler) {
      const ends = parts.map((part) => part.subscribe(handler))
      return () => {
        for (const end of ends) end()
      }
    },
    observe: (object) =>
      parts.find(({ namespace }) => namespace === object.metadata.namespace)?.observe(object),
    get synced() {
      return parts.every((part) => part.synced)
    },
    silence: () => Math.max(...parts.map((part) => part.silence())),
  }
}
