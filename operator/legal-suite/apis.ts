import { routeApi } from '../desired/gateway.ts'
import { monitorApi } from '../desired/monitoring.ts'
import type { Client } from '../runtime/client.ts'
import { getResource } from '../runtime/resources.ts'

export const clusterApi = 'postgresql.cnpg.io/v1'

const optionalApis = [
  [monitorApi, getResource(monitorApi, 'ServiceMonitor')],
  [routeApi, getResource(routeApi, 'HTTPRoute')],
  [clusterApi, getResource(clusterApi, 'Cluster')],
] as const

/** Returns whether the cluster serves the API of an object. Built-in APIs are always served. */
export const isServed = ({ kind }: { kind: string }, apis: ReadonlySet<string>) => {
  const api = optionalApis.find(([, resource]) => resource.kind === kind)?.[0]
  return api === undefined || apis.has(api)
}

/**
 * Discovers which optional APIs the cluster serves. Cached for `maxAgeMs`. An API that was served before counts
 * as absent only after a second discovery at least `confirmMs` later: an aggregated discovery can fail briefly.
 */
export function makeApiDiscovery(maxAgeMs = 60_000, confirmMs = 10_000) {
  const missingSince = new Map<string, number>()
  let served: ReadonlySet<string> = new Set()
  let cached: { at: number; maxAgeMs: number; apis: Promise<ReadonlySet<string>> } | undefined

  async function discover(client: Client): Promise<ReadonlySet<string>> {
    const found = await Promise.all(optionalApis.map(([, resource]) => client.serves(resource)))
    const now = performance.now()
    const apis = new Set<string>()
    optionalApis.forEach(([api], index) => {
      if (found[index]) missingSince.delete(api)
      else if (served.has(api) && !missingSince.has(api)) missingSince.set(api, now)
      const since = missingSince.get(api)
      const isUnconfirmed = since !== undefined && now - since < confirmMs
      if (found[index] || isUnconfirmed) apis.add(api)
      else missingSince.delete(api)
    })
    served = apis
    if (missingSince.size > 0 && cached) cached.maxAgeMs = confirmMs
    return apis
  }

  return (client: Client): Promise<ReadonlySet<string>> => {
    if (!cached || performance.now() - cached.at > cached.maxAgeMs) {
      const next = { at: performance.now(), maxAgeMs, apis: Promise.resolve(served) }
      cached = next
      next.apis = discover(client)
      next.apis.catch(() => {
        cached = undefined
      })
    }
    return cached.apis
  }
}
