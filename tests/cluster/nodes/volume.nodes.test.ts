import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { versions } from './images.ts'
import { applyObjects, kubectl } from './kubectl.ts'
import { suiteNamespace } from './namespaces.ts'
import { nodePod } from './pods.ts'
import { buildManifest, suiteObjects, suiteSpec, waitUntilReady } from './suite.ts'

const volumes = ['rooted-postgres', 'rooted-files']
const storageClassName = 'root-owned'
const volumePath = (volume: string) => `/var/local-path-provisioner/${suiteNamespace()}-${volume}`

/** Creates the folders as root, as a storage system does whose volumes belong to root. */
const folderPod = (node: string) => {
  const script = volumes
    .map((volume) => `require('node:fs').mkdirSync('${volumePath(volume)}', { mode: 0o755 })`)
    .join(';')
  const mount = { name: 'node', mountPath: '/var/local-path-provisioner' }
  const container = nodePod(`legal-suite:${versions.current}`, ['-e', script], [mount])
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'folders' },
    spec: {
      nodeName: node,
      restartPolicy: 'Never',
      containers: [{ ...container, name: 'folders', securityContext: { runAsUser: 0 } }],
      volumes: [{ name: 'node', hostPath: { path: mount.mountPath, type: 'DirectoryOrCreate' } }],
    },
  }
}

const persistentVolume = (volume: string, node: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: `${suiteNamespace()}-${volume}` },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    storageClassName,
    claimRef: { namespace: suiteNamespace(), name: volume },
    local: { path: volumePath(volume) },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          {
            matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }],
          },
        ],
      },
    },
  },
})

beforeAll(async () => {
  const [node] = JSON.parse(await kubectl(['get', 'nodes', '--output', 'json'])).items
  const { name } = node.metadata
  await applyObjects('default', [
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: storageClassName },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    },
    folderPod(name),
  ])
  await kubectl(['wait', 'pod/folders', '--for=jsonpath={.status.phase}=Succeeded'])
  await applyObjects(
    'default',
    volumes.map((volume) => persistentVolume(volume, name)),
  )
})

test('a suite writes to volumes that belong to root', async () => {
  const { gateway: _, seeds: __, pods: ___, services: ____, ...spec } = suiteSpec()
  const storage = { size: '1Gi', storageClassName }
  onTestFinished(async () => {
    await (await suiteObjects()).remove('LegalSuite', 'rooted')
    await kubectl(['delete', 'pod/folders', '--ignore-not-found'])
  })
  await applyObjects(suiteNamespace(), [
    buildManifest(
      {
        ...spec,
        database: { type: 'Embedded', embedded: { storage } },
        objectStorage: { type: 'Volume', volume: { storage } },
        deletionPolicy: 'Delete',
      },
      'rooted',
    ),
  ])
  await waitUntilReady('rooted')
  const script = "require('node:fs').writeFileSync('/data/probe', 'written')"
  const inFiles = ['--namespace', suiteNamespace(), 'exec', 'deployment/rooted-files', '--']
  await kubectl([...inFiles, 'node', '-e', script])
  const read = "console.log(require('node:fs').readFileSync('/data/probe', 'utf8'))"
  expect((await kubectl([...inFiles, 'node', '-e', read])).trim()).toBe('written')
})
