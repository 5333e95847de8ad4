import { describe, expect, test } from 'vitest'
import type { LegalSuiteSpec } from '../api/legal-suite.ts'
import { containerVariables, find, listNames, podTemplate } from '../testing/queries.ts'
import { buildSuite, fullSpec } from '../testing/suites.ts'
import { desired } from './index.ts'

const facts = {
  secrets: new Map([['db/url', 'first']]),
  operatorNamespace: 'operators',
}
const of = (spec: Partial<LegalSuiteSpec> = {}) => desired(buildSuite(spec), facts)
const deployment = (spec: Partial<LegalSuiteSpec>, name: string) =>
  find(of(spec), 'Deployment', `demo-${name}`)
const variables = (spec: Partial<LegalSuiteSpec>, name: string) =>
  containerVariables(of(spec), `demo-${name}`)

test('the minimal suite has eight services, one migration and network policies', () => {
  const objects = of()
  const services = 'memory ai-engine consultations matter knowledge collector platform files'
    .split(' ')
    .map((name) => `demo-${name}`)
  expect(listNames(objects, 'Deployment')).toEqual(services)
  expect(listNames(objects, 'Service')).toEqual(services)
  expect(listNames(objects, 'PodDisruptionBudget')).toEqual(services)
  expect(listNames(objects, 'ServiceAccount')).toEqual(['demo-migrate', ...services])
  expect(listNames(objects, 'PersistentVolumeClaim')).toEqual(['demo-files'])
  expect(listNames(objects, 'Job')).toEqual([expect.stringMatching(/^demo-migrate-[0-9a-f]{10}$/)])
  expect(listNames(objects, 'StatefulSet')).toEqual([])
  expect(listNames(objects, 'Secret')).toEqual([])
})

describe('shared configuration of services', () => {
  test('the image tag is the version unless the image has a digest', () => {
    const image = (spec: Partial<LegalSuiteSpec>) =>
      deployment(spec, 'memory').spec.template.spec.containers[0].image
    expect(image({})).toBe('legal-suite:1.2.3')
    expect(image({ image: 'example.com/suite', version: '2' })).toBe('example.com/suite:2')
    const digest = `example.com/suite@sha256:${'0'.repeat(64)}`
    expect(image({ image: digest, version: '2' })).toBe(digest)
  })

  test('runtime selects the start command', () => {
    const command = (spec: Partial<LegalSuiteSpec>, name = 'memory') =>
      deployment(spec, name).spec.template.spec.containers[0].command
    expect(command({})).toEqual(['node', 'services/_run/node.ts', 'memory'])
    expect(command({ runtime: 'Deno' }).slice(0, 2)).toEqual(['deno', 'serve'])
    expect(command({ runtime: 'Deno' }).slice(-2)).toEqual(['services/_run/deno.ts', 'memory'])
    expect(command({ runtime: 'Deno' })).not.toContain('--allow-run')
    expect(command({ runtime: 'Deno' }, 'files')).toContain('--allow-run')
  })

  test('environment is passed to each service and defaults to production', () => {
    expect(variables({}, 'memory').ENVIRONMENT).toBe('production')
    expect(variables({ environment: 'dev' }, 'matter').ENVIRONMENT).toBe('dev')
  })

  test('services get the URLs of all peers, listen on all interfaces and do not migrate', () => {
    expect(variables({}, 'matter')).toMatchObject({
      MEMORY_SERVICE_URL: 'http://demo-memory:8080',
      AI_ENGINE_URL: 'http://demo-ai-engine:8080',
      COLLECTOR_SERVICE_URL: 'http://demo-collector:8080',
      HOST: '0.0.0.0',
      PORT: '8080',
      MIGRATE: 'false',
    })
  })

  test('the internal key is mounted from the generated or the configured Secret', () => {
    const secret = (spec: Partial<LegalSuiteSpec>) =>
      deployment(spec, 'memory').spec.template.spec.volumes.find(
        ({ name }: { name: string }) => name === 'internal-key',
      ).secret.secretName
    expect(secret({})).toBe('demo-internal-key')
    expect(secret({ internalKey: { secretName: 'ours' } })).toBe('ours')
    expect(variables({}, 'memory').INTERNAL_API_KEY_DIR).toBe('/etc/legal-suite/internal-key')
  })

  test('probes use the actuator endpoints', () => {
    const [container] = deployment({}, 'files').spec.template.spec.containers
    const path = '/api/v1/internal/actuator/health'
    expect(container.readinessProbe.httpGet).toEqual({ path: `${path}/readiness`, port: 'http' })
    expect(container.livenessProbe.httpGet).toEqual({ path: `${path}/liveness`, port: 'http' })
    expect(container.startupProbe.httpGet).toEqual({ path: `${path}/liveness`, port: 'http' })
  })
})

describe('services.<name>', () => {
  test('replicas sets the replica count', () => {
    expect(deployment({}, 'memory').spec.replicas).toBe(1)
    expect(deployment({ services: { memory: { replicas: 4 } } }, 'memory').spec.replicas).toBe(4)
    expect(deployment({ services: { memory: { replicas: 4 } } }, 'matter').spec.replicas).toBe(1)
  })

  test('with autoscaling the Deployment sets no replicas', () => {
    const spec = {
      services: { matter: { autoscaling: { maxReplicas: 9, memoryUtilization: 70 } } },
    }
    expect(deployment(spec, 'matter').spec).not.toHaveProperty('replicas sets the replica count')
    expect(find(of(spec), 'HorizontalPodAutoscaler', 'demo-matter').spec).toMatchObject({
      scaleTargetRef: { kind: 'Deployment', name: 'demo-matter' },
      minReplicas: 2,
      maxReplicas: 9,
      metrics: [
        { resource: { name: 'cpu', target: { averageUtilization: 75 } } },
        { resource: { name: 'memory', target: { averageUtilization: 70 } } },
      ],
    })
  })

  test('configured resources override defaults, and conflicting defaults are adjusted', () => {
    const resources = (overrides: object) =>
      deployment({ services: { memory: { resources: overrides } } }, 'memory').spec.template.spec
        .containers[0].resources
    expect(resources({})).toMatchObject({
      requests: { memory: '192Mi' },
      limits: { memory: '512Mi' },
    })
    expect(resources({ requests: { memory: '1Gi' } })).toMatchObject({ limits: { memory: '1Gi' } })
    expect(resources({ limits: { memory: '64Mi' } })).toMatchObject({
      requests: { memory: '64Mi' },
    })
    expect(resources({ limits: { cpu: '50m' } })).toMatchObject({ requests: { cpu: '50m' } })
  })

  test('env adds variables, also from Secrets, and overrides those of the operator', () => {
    const env = [
      { name: 'AI_MODEL', value: 'mine' },
      { name: 'TOKEN', secretKeyRef: { name: 'token', key: 'value' } },
    ]
    const ai = { model: { baseUrl: 'https://m.example.com', model: 'theirs' } }
    const seen = variables({ ai, services: { 'ai-engine': { env } } }, 'ai-engine')
    expect(seen).toMatchObject({ AI_MODEL: 'mine', TOKEN: 'secret:token/value' })
    expect(variables({ services: { 'ai-engine': { env } } }, 'matter')).not.toHaveProperty('TOKEN')
  })

  test('nodeSelector, tolerations and topology are passed to the pod', () => {
    const { spec } = deployment(fullSpec, 'consultations').spec.template
    expect(spec.nodeSelector).toMatchObject({ 'kubernetes.io/arch': 'amd64' })
    expect(spec.tolerations).toHaveLength(1)
    expect(spec.topologySpreadConstraints).toMatchObject([
      { topologyKey: 'kubernetes.io/hostname', maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule' },
    ])
    const defaults = deployment({}, 'matter').spec.template.spec.topologySpreadConstraints
    expect(defaults.map(({ topologyKey }: { topologyKey: string }) => topologyKey)).toEqual([
      'topology.kubernetes.io/zone',
      'kubernetes.io/hostname',
    ])
  })
})

describe('ai', () => {
  test('AI endpoints are passed only to the services that call them', () => {
    expect(variables(fullSpec, 'ai-engine')).toMatchObject({
      AI_BASE_URL: 'https://models.example.com/v1',
      AI_MODEL: 'large',
      AI_API_KEY: 'secret:model/key',
      AI_TIMEOUT_MS: '60000',
    })
    expect(variables(fullSpec, 'knowledge')).toMatchObject({
      OPENAI_BASE_URL: 'https://models.example.com/v1',
      OPENAI_API_KEY: 'secret:embedding/key',
      KNOWLEDGE_EMBEDDING_MODEL: 'embed',
      KNOWLEDGE_EMBEDDING_DIMS: '512',
      KNOWLEDGE_EMBEDDING_QUERY_PREFIX: 'query: ',
    })
    for (const name of ['memory', 'knowledge'])
      expect(variables(fullSpec, name)).toMatchObject({
        RERANK_URL: 'https://rerank.example.com',
        RERANK_TIMEOUT_MS: '2000',
      })
    expect(variables(fullSpec, 'matter')).not.toHaveProperty('AI_API_KEY')
  })
})

describe('seeds', () => {
  test('seeds are passed to collector-service only', () => {
    expect(variables(fullSpec, 'collector')).toMatchObject({
      SEED_PACKAGE_IDS_ON_STARTUP: 'platform_defaults,knowledge_structured_seeds',
      SEED_RESOURCES_ON_STARTUP: 'true',
    })
    expect(variables({}, 'collector')).not.toHaveProperty('SEED_PACKAGE_IDS_ON_STARTUP')
  })
})

describe('hibernated', () => {
  test('hibernation sets replicas to 0 and removes autoscalers and the migration', () => {
    const objects = of({ ...fullSpec, hibernated: true })
    const sets = objects.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
    expect(sets.length).toBe(12)
    for (const { spec } of sets as any[]) expect(spec.replicas).toBe(0)
    expect(listNames(objects, 'HorizontalPodAutoscaler')).toEqual([])
    expect(listNames(objects, 'Job')).toEqual([])
    expect(listNames(objects, 'PersistentVolumeClaim')).toEqual(
      listNames(of(fullSpec), 'PersistentVolumeClaim'),
    )
  })
})

describe('a changed secret', () => {
  const changedWorkloads = (secret: string, spec: Partial<LegalSuiteSpec>) => {
    const after = { ...facts, secrets: new Map([...facts.secrets, [secret, 'second']]) }
    const checksum = (objects: ReturnType<typeof desired>) =>
      new Map(
        objects
          .filter(podTemplate)
          .map((each) => [each.metadata.name, podTemplate(each)!.metadata.annotations]),
      )
    const [old, now] = [of(spec), desired(buildSuite(spec), after)].map(checksum)
    return [...now!.keys()].filter(
      (name) => JSON.stringify(old!.get(name)) !== JSON.stringify(now!.get(name)),
    )
  }

  test('a changed Secret restarts the services that reference it', () => {
    expect(changedWorkloads('model/key', fullSpec)).toEqual(['demo-ai-engine'])
    expect(changedWorkloads('embedding/key', fullSpec)).toEqual(['demo-knowledge'])
    expect(changedWorkloads('s3/access-key-id', fullSpec)).toEqual(['demo-files'])
    expect(changedWorkloads('engine-token/value', fullSpec)).toEqual(['demo-ai-engine'])
    expect(changedWorkloads('oidc/client-secret', fullSpec)).toEqual(['demo-gateway'])
    expect(changedWorkloads('unrelated/key', fullSpec)).toEqual([])
  })

  test('a changed database Secret restarts all services after a migration', () => {
    expect(changedWorkloads('db/url', {})).toHaveLength(9)
  })

  test('a changed internal key restarts nothing, because services reload it', () => {
    expect(changedWorkloads('demo-internal-key/current', {})).toEqual([])
  })
})
