import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { kubectl } from './kubectl.ts'
import { clientsNamespace, suiteNamespace } from './namespaces.ts'

/** The folder of the support bundles of a run. */
export const bundleDirectory = resolve(import.meta.dirname, '../../../.cache/cluster-bundles')

const kinds = [
  ...['legalsuites', 'seedpackageapplies', 'deployments', 'statefulsets', 'replicasets', 'jobs'],
  ...['pods', 'services', 'endpointslices', 'persistentvolumeclaims', 'networkpolicies'],
  ...['poddisruptionbudgets', 'horizontalpodautoscalers', 'leases'],
]

/**
 * Writes objects, events and logs of the test namespaces to a folder. Secrets are listed with the names of their
 * entries only. Returns the folder.
 */
export async function writeBundle(reason: string): Promise<string> {
  const folder = join(bundleDirectory, reason.replace(/[^\w]+/g, '-').slice(0, 80))
  mkdirSync(folder, { recursive: true })
  const write = async (file: string, read: () => Promise<string>) => {
    const text = await read().catch((error: Error) => error.message)
    writeFileSync(join(folder, file), text)
  }
  await write('nodes.yaml', () => kubectl(['get', 'nodes', '--output', 'yaml']))
  for (const namespace of [suiteNamespace(), clientsNamespace()]) {
    const inNamespace = (...args: string[]) => kubectl(['--namespace', namespace, ...args])
    await write(`${namespace}-objects.yaml`, () =>
      inNamespace('get', kinds.join(','), '--output', 'yaml'),
    )
    await write(`${namespace}-events.txt`, () =>
      inNamespace('get', 'events', '--sort-by=.metadata.creationTimestamp'),
    )
    await write(`${namespace}-secrets.json`, () => listSecretEntries(namespace))
    const pods = await inNamespace('get', 'pods', '--output', 'name').catch(() => '')
    for (const pod of pods.split('\n').filter(Boolean)) {
      const logs = (...args: string[]) =>
        inNamespace('logs', pod, '--all-containers', '--timestamps', '--tail=5000', ...args)
      const name = `${namespace}-${pod.replace('pod/', '')}`
      await write(`${name}.log`, () => logs())
      await write(`${name}.previous.log`, () => logs('--previous'))
    }
  }
  console.error(`support bundle: ${folder}`)
  return folder
}

/** Names of the Secrets and of their entries, without values and annotations. */
async function listSecretEntries(namespace: string): Promise<string> {
  const output = await kubectl(['--namespace', namespace, 'get', 'secrets', '--output', 'json'])
  const { items } = JSON.parse(output) as {
    items: { metadata: { name: string }; data?: Record<string, string> }[]
  }
  const entries = items.map(({ metadata, data = {} }) => [metadata.name, Object.keys(data)])
  return JSON.stringify(Object.fromEntries(entries), null, 2)
}
