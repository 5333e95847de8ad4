import { beforeAll, describe, expect, test } from 'vitest'
import { ApiError } from '../../operator/runtime/api-error.ts'
import { type Client, makeClient } from '../../operator/runtime/client.ts'
import type { KubeObject, Resource } from '../../operator/runtime/objects.ts'
import { buildRun, okResponse, startFakeCollector } from '../../operator/testing/fake-collector.ts'
import { manifest } from './definitions.ts'
import { setUp } from './operator.ts'
import { operatorAccess, roleResource } from './rights.ts'
import { clusterClient, eventually, freshNamespace } from './support.ts'

type Rule = { apiGroups: string[]; resources: string[]; verbs: string[] }
type Role = KubeObject & { rules: Rule[] }
type Right = { group: string; resource: string; verb: string }

const roles = manifest('operator/deploy/2-role.yaml') as Role[]

const granted: (Right & { role: string })[] = roles.flatMap(({ metadata, rules }) =>
  rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.map((verb) => ({ role: metadata.name, group, resource, verb })),
      ),
    ),
  ),
)
const text = ({ group, resource, verb }: Right) => `${verb} ${group || 'core'}/${resource}`

describe('permissions of the operator', () => {
  let client: Client
  beforeAll(async () => {
    client = await clusterClient()
  })

  test('the operator uses all permissions and is never denied', async () => {
    const collector = await startFakeCollector()
    collector.setHandler((request) => okResponse(buildRun(request)))
    const at = await setUp(client, { collectorAddress: collector.address })
    const oidc = { issuer: 'https://b.example.com', audience: 'c', clientId: 'legal' }
    const volume = { storage: { size: '1Gi' } }
    await at.suite({
      deletionPolicy: 'Delete',
      database: { type: 'CloudNativePG', cloudNativePG: volume },
      services: { matter: { autoscaling: { maxReplicas: 2 } } },
      search: { type: 'Managed' },
      graph: { type: 'Managed' },
      gateway: { host: 'a.example.com', httpRoute: { parentRef: { name: 'edge' } }, oidc },
    })
    await eventually(async () => expect(await at.get('Cluster', 'demo-pg')).toBeDefined())
    const data = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'demo-pg-app' } }
    await at.create({ ...data, stringData: { uri: 'postgres://nowhere' } })
    await at.patch('Cluster', 'demo-pg', { status: { readyInstances: 1 } }, 'status')
    await at.settled()

    const spec = { suiteRef: { name: 'demo' }, packageIds: ['one'], ttlSecondsAfterFinished: 0 }
    const seed = { apiVersion: 'legalsuite.dev/v1alpha1', kind: 'SeedPackageApply' }
    await at.create({ ...seed, metadata: { name: 'seeds' }, spec })
    await eventually(async () => expect(await at.get('SeedPackageApply', 'seeds')).toBeUndefined())

    await at.patch('LegalSuite', 'demo', {
      spec: { gateway: { httpRoute: null, ingress: {} }, monitoring: { enabled: false } },
    })
    await at.settled()
    // The same drift twice is one Event with a count.
    for (const _ of [1, 2]) {
      await at.patch('ServiceAccount', 'demo-files', { automountServiceAccountToken: true })
      await eventually(async () => {
        const { automountServiceAccountToken } = await at.get('ServiceAccount', 'demo-files')
        expect(automountServiceAccountToken).toBe(false)
      })
    }
    const external = { secretRef: { name: 'db', key: 'url' } }
    await at.patch('LegalSuite', 'demo', {
      spec: {
        gateway: null,
        search: null,
        graph: null,
        services: { matter: null },
        database: { type: 'External', external, cloudNativePG: null },
      },
    })
    const { status } = await at.settled()
    const uids = status!.retained!.map(({ uid }) => uid).join(',')
    const annotations = { 'legalsuite.dev/remove-retained': uids }
    await at.patch('LegalSuite', 'demo', { metadata: { annotations } })
    await eventually(async () => expect(await at.get('Cluster', 'demo-pg')).toBeUndefined())
    await collector.stop()

    await eventually(() => {
      const calls = at.operator.calls.filter(({ resource }) => resource)
      const refused = calls.filter(({ code }) => code === 403)
      expect(refused).toEqual([])
      const used = [...new Set(calls.map(text))].sort()
      expect(used).toEqual([...new Set(granted.map(text))].sort())
    })
  })

  test('without any one permission the API server denies a call', async () => {
    await using namespace = await freshNamespace(client)
    const own = makeClient({ access: await operatorAccess(client, namespace.name), maxAttempts: 1 })
    for (const right of granted) {
      const role = roles.find(({ metadata }) => metadata.name === right.role)!
      const metadata = { ...role.metadata, namespace: namespace.name }
      const put = (rules: Rule[]) =>
        client.apply(
          roleResource,
          { ...role, metadata, rules },
          { fieldManager: 'tests', force: true },
        )
      await put(without(role.rules, right))
      await eventually(async () => {
        const code = await tryVerb(own, right, namespace.name)
        expect(code, `without ${text(right)}`).toBe(403)
      })
      await put(role.rules)
      await eventually(async () => expect(await tryVerb(own, right, namespace.name)).not.toBe(403))
    }
  })

  test('permissions have no wildcard and are namespaced', () => {
    for (const { kind, rules } of roles) {
      expect(kind).toBe('Role')
      expect(JSON.stringify(rules)).not.toContain('*')
    }
  })
})

const without = (rules: Rule[], { group, resource, verb }: Right): Rule[] =>
  rules.flatMap((rule) => {
    if (!rule.apiGroups.includes(group) || !rule.resources.includes(resource)) return [rule]
    const others = rule.resources.filter((each) => each !== resource)
    const verbs = rule.verbs.filter((each) => each !== verb)
    return [
      ...(others.length ? [{ ...rule, resources: others }] : []),
      ...(verbs.length ? [{ ...rule, resources: [resource], verbs }] : []),
    ]
  })

const versions: Record<string, string> = { autoscaling: 'v2', 'legalsuite.dev': 'v1alpha1' }

/** Returns the response code of a call on a missing object. */
async function tryVerb(client: Client, { group, resource, verb }: Right, namespace: string) {
  const [plural, subresource] = resource.split('/')
  const version = versions[group] ?? 'v1'
  const place: Resource = { group, version, kind: 'Any', plural: plural!, namespaced: true }
  const ref = { namespace, name: 'none' }
  const apiVersion = group ? `${group}/${version}` : version
  const object: KubeObject = { apiVersion, kind: 'Any', metadata: ref }
  const signal = AbortSignal.timeout(2_000)
  const calls: Record<string, () => Promise<unknown>> = {
    get: () => client.get(place, ref),
    list: () => client.list(place, { namespace }),
    watch: async () => {
      const options = { namespace, resourceVersion: '0', timeoutSeconds: 1, signal }
      for await (const _ of client.watch(place, options)) break
    },
    create: () => client.create(place, object),
    update: () => client.replace(place, object),
    patch: () =>
      client.merge(place, ref, {}, subresource ? { subresource: subresource as 'status' } : {}),
    delete: () => client.delete(place, ref),
  }
  try {
    await calls[verb]!()
    return 200
  } catch (error) {
    return error instanceof ApiError ? error.code : 0
  }
}
