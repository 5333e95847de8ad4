import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApplyOptions, applySet } from '../../operator/runtime/apply.ts'
import type { Client } from '../../operator/runtime/client.ts'
import type { idText } from '../../operator/runtime/inventory.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'
import { getObjectResource, getResource } from '../../operator/runtime/resources.ts'
import { clusterClient, freshNamespace } from './support.ts'

const labels = { app: 'x' }
/** Includes values that the API server normalizes: defaults, quantities, empty values. */
const pod = {
  nodeSelector: {},
  tolerations: [],
  imagePullSecrets: [],
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  volumes: [
    { name: 'tmp', emptyDir: {} },
    {
      name: 'keys',
      projected: { sources: [{ secret: { name: 'k', items: [{ key: 'a', path: 'a' }] } }] },
    },
  ],
  containers: [
    {
      name: 'main',
      image: 'x:1',
      args: ['a', 'b'],
      env: [
        { name: 'EMPTY', value: '' },
        { name: 'SECRET', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
      ],
      ports: [{ name: 'http', containerPort: 8080 }],
      resources: { requests: { cpu: '0.5', memory: '1024Mi' }, limits: { memory: '1Gi' } },
      volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
      readinessProbe: { httpGet: { path: '/', port: 'http' } },
    },
  ],
}

const wantedIn = (namespace: string): KubeObject[] => {
  const metadata = { name: 'x', namespace }
  const template = { metadata: { labels, annotations: {} }, spec: pod }
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
    { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data: { a: 'YQ==' } },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata,
      spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [] },
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata,
      spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
    },
  ]
}

describe('applySet on a real API server', () => {
  let client: Client
  let namespace: Awaited<ReturnType<typeof freshNamespace>>
  beforeAll(async () => {
    client = await clusterClient()
    namespace = await freshNamespace(client)
  })
  afterAll(() => namespace[Symbol.asyncDispose]())

  const apply = async (objects: KubeObject[], more: Partial<ApplyOptions> = {}) => {
    const owner = { labels: { suite: 's' } }
    const { outcomes, inventory } = await applySet(objects, {
      client,
      owner,
      live: () => undefined,
      inventory: [],
      ...more,
    })
    return {
      inventory,
      actions: Object.fromEntries(outcomes.map(({ id, action }) => [id.kind, action])),
    }
  }
  const all = (action: string) => Object.fromEntries(wantedIn('').map(({ kind }) => [kind, action]))
  const deployments = getResource('apps/v1', 'Deployment')
  const ref = () => ({ namespace: namespace.name, name: 'x' })

  test('desired objects are created and then not written until they change', async () => {
    const desired = wantedIn(namespace.name)
    expect((await apply(desired)).actions).toEqual(all('created'))
    expect((await apply(desired)).actions).toEqual(all('unchanged'))
    const more = { ...desired[0]!, spec: { ...(desired[0]!.spec as object), replicas: 3 } }
    expect((await apply([more, ...desired.slice(1)])).actions).toEqual({
      ...all('unchanged'),
      Deployment: 'configured',
    })
    expect((await apply(desired)).actions).toEqual({
      ...all('unchanged'),
      Deployment: 'configured',
    })
  })

  test.each<[string, object]>([
    ['a changed field', { spec: { replicas: 7 } }],
    [
      'a changed list',
      { spec: { template: { spec: { containers: [{ name: 'main', image: 'evil:1' }] } } } },
    ],
    ['a removed label', { metadata: { labels: { suite: null, extra: 'x' } } }],
  ])('%s is put back', async (what, patch) => {
    const desired = wantedIn(namespace.name)
    await client.merge(deployments, ref(), patch)
    const expected = what === 'a removed label' ? 'conflict' : 'configured'
    expect((await apply(desired)).actions).toEqual({ ...all('unchanged'), Deployment: expected })
    if (expected === 'conflict')
      await client.merge(deployments, ref(), { metadata: { labels: { suite: 's' } } })
    await apply(desired)
    expect((await apply(desired)).actions).toEqual(all('unchanged'))
    const live = await client.get(deployments, ref())
    expect(live?.spec).toMatchObject({
      replicas: 2,
      template: { spec: { containers: [{ image: 'x:1' }] } },
    })
  })

  test('fields added by others are kept', async () => {
    await client.merge(deployments, ref(), { metadata: { annotations: { theirs: 'yes' } } })
    expect((await apply(wantedIn(namespace.name))).actions).toEqual(all('unchanged'))
  })

  test('a replaced object is not pruned, all others are', async () => {
    const desired = wantedIn(namespace.name)
    const { inventory } = await apply(desired)
    const secrets = getResource('v1', 'Secret')
    const before = await client.get(secrets, ref())
    await client.delete(secrets, ref())
    const { type, data } = desired[2]!
    await client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: ref(), type, data })
    const changed = { ...desired[2]!, data: { a: 'Yg==' } }
    const stale = {
      live: (id: Parameters<typeof idText>[0]) => (id.kind === 'Secret' ? before : undefined),
    }
    expect((await apply([changed], stale)).actions).toEqual({ Secret: 'conflict' })
    expect((await apply([], { inventory })).actions).toEqual({
      ...all('pruned'),
      Secret: 'unchanged',
    })
    for (const object of desired.filter(({ kind }) => kind !== 'Secret')) {
      const left = await client.get(getObjectResource(object), object.metadata)
      expect(left?.metadata.deletionTimestamp ?? 'gone').toBeTruthy()
    }
    expect(await client.get(secrets, ref())).toMatchObject({ data: { a: 'YQ==' } })
  })
})
