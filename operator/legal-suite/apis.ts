import { routeApi } from '../desired/gateway.ts'
import { monitorApi } from '../desired/monitoring.ts'
import type { Client } from '../runtime/client.ts'
import { resourceOf } from '../runtime/resources.ts'

export const clusterApi = 'postgresql.cnpg.io/v1'

const optional = [
  [monitorApi, resourceOf(monitorApi, 'ServiceMonitor')],
  [routeApi, resourceOf(routeApi, 'HTTPRoute')],
  [clusterApi, resourceOf(clusterApi, 'Cluster')],
] as const

/** Which of the APIs that others bring are there. Asked again every minute at most. */
export function makeApis(maxAge = 60_000) {
  let known: { at: number; apis: Promise<ReadonlySet<string>> } | undefined
  const ask = async (client: Client) => {
    const served = await Promise.all(optional.map(([, resource]) => client.serves(resource)))
    return new Set(optional.filter((_, index) => served[index]).map(([api]) => api as string))
  }
  return (client: Client): Promise<ReadonlySet<string>> => {
    if (!known || performance.now() - known.at > maxAge) {
      const apis = ask(client)
      known = { at: performance.now(), apis }
      apis.catch(() => {
        known = undefined
      })
    }
    return known.apis
  }
}
