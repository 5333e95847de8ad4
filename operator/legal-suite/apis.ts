import { routeApi } from '../desired/gateway.ts'
import { monitorApi } from '../desired/monitoring.ts'
import type { Client } from '../runtime/client.ts'
import { resourceOf } from '../runtime/resources.ts'

export const clusterApi = 'postgresql.cnpg.io/v1'

const optionalApis = [
  [monitorApi, resourceOf(monitorApi, 'ServiceMonitor')],
  [routeApi, resourceOf(routeApi, 'HTTPRoute')],
  [clusterApi, resourceOf(clusterApi, 'Cluster')],
] as const

/** Discovers which optional APIs the cluster serves. Cached for `maxAgeMs`. */
export function makeApiDiscovery(maxAgeMs = 60_000) {
  let cached: { at: number; apis: Promise<ReadonlySet<string>> } | undefined
  const discover = async (client: Client) => {
    const served = await Promise.all(optionalApis.map(([, resource]) => client.serves(resource)))
    return new Set(optionalApis.filter((_, index) => served[index]).map(([api]) => api as string))
  }
  return (client: Client): Promise<ReadonlySet<string>> => {
    if (!cached || performance.now() - cached.at > maxAgeMs) {
      const apis = discover(client)
      cached = { at: performance.now(), apis }
      apis.catch(() => {
        cached = undefined
      })
    }
    return cached.apis
  }
}
