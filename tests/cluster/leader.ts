import { kubeconfigAccess } from '../../operator/runtime/access.ts'
import { makeClient } from '../../operator/runtime/client.ts'
import { makeManager } from '../../operator/runtime/manager.ts'
import { getResource } from '../../operator/runtime/resources.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'

/**
 * A small operator process for leader election tests. It prints when it leads and writes to each ConfigMap
 * labelled `ask`. Usage: `node leader.ts <kubeconfig> <namespace> <identity> [port]`
 */
const [kubeconfig, namespace, identity, port] = process.argv.slice(2) as string[] as LeaderArguments
type LeaderArguments = [string, string, string, string?]
const print = (line: object) => console.log(JSON.stringify({ identity, at: Date.now(), ...line }))
const logMessage = (_: object, message: string) => print({ message })
const log = { info: logMessage, warn: logMessage, error: logMessage }
const configMaps = getResource('v1', 'ConfigMap')
const manager = makeManager({
  client: makeClient({ access: await kubeconfigAccess(kubeconfig) }),
  log,
  metrics: makeMetrics(),
  namespaces: [namespace],
  lease: { namespace, name: 'leader', identity },
  port: port ? Number(port) : undefined,
})
const maps = manager.informer(configMaps, { labelSelector: 'ask' })
manager.informer(getResource('v1', 'Secret'), { labelSelector: 'ask', metadataOnly: true })
manager.controller({
  name: 'answers',
  watches: [{ informer: maps }],
  reconcile: async (key, { client }) => {
    const map = maps.get(key)
    if (!map || map.metadata.annotations?.answeredBy === identity) return
    const { name } = map.metadata
    const metadata = { name, namespace, annotations: { answeredBy: identity } }
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata }
    await client.apply(configMaps, configMap, { fieldManager: 'leader', force: true })
    print({ message: 'answered', name })
    return
  },
})
const stop = new AbortController()
process.on('SIGTERM', () => stop.abort())
await manager.run(stop.signal)
print({ message: 'ended' })
process.exit(0)
