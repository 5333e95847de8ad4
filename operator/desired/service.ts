import { type ServiceName, serviceNames } from '../api/service-spec.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { aiPart } from './ai.ts'
import { account, budget } from './backend.ts'
import {
  type Facts,
  hashOf,
  imageOf,
  labelsOf,
  nameOf,
  object,
  rolloutAnnotation,
  selectorOf,
  type Wanted,
} from './common.ts'
import { databasePart } from './database.ts'
import { gatewayPart } from './gateway.ts'
import { graphPart } from './graph.ts'
import { keyPart } from './key.ts'
import {
  type Container,
  confined,
  httpProbe,
  identity,
  type Part,
  resourcesOf,
  scratch,
  secretsChecksum,
  secretVariable,
  type Variable,
  variables,
} from './pod.ts'
import { commandOf, port } from './runtime.ts'
import { autoscaler, scheduling } from './scale.ts'
import { searchPart } from './search.ts'
import { seedsPart } from './seeds.ts'
import { storagePart, takesTurns } from './storage.ts'

const health = '/api/v1/internal/actuator/health'

/** Parsing a file may take a gigabyte; it is a process of its own in the same pod. */
const memory: Partial<Record<ServiceName, [request: string, limit: string]>> = {
  files: ['384Mi', '2Gi'],
  knowledge: ['384Mi', '1Gi'],
  'ai-engine': ['384Mi', '1Gi'],
}

/** Its name among the services, and the variable by which the others find it. */
const networkName = (name: ServiceName) => (name === 'ai-engine' ? name : `${name}-service`)
const addressVariable = (name: ServiceName) =>
  `${networkName(name).toUpperCase().replaceAll('-', '_')}_URL`

const addresses = (suite: Wanted) =>
  variables(
    Object.fromEntries(
      serviceNames
        .filter((name) => name !== 'gateway')
        .map((name) => [addressVariable(name), `http://${nameOf(suite, name)}:${port}`]),
    ),
  )

const process = ({ spec }: Wanted): Part => ({
  env: variables({
    ENVIRONMENT: spec.environment ?? 'production',
    HOST: '0.0.0.0',
    PORT: port,
    MIGRATE: false,
    ...(spec.runtime === 'Deno' && { DENO_DIR: '/tmp/deno' }),
  }),
  volumes: [scratch('tmp', '2Gi')],
  mounts: [{ name: 'tmp', mountPath: '/tmp' }],
})

/** Everything that a service is told, from each concern that it has a part in. */
function partsOf(suite: Wanted, name: ServiceName): Part[] {
  const own: Partial<Record<ServiceName, (suite: Wanted) => Part>> = {
    files: storagePart,
    collector: seedsPart,
    gateway: gatewayPart,
  }
  return [
    process(suite),
    databasePart(suite),
    keyPart(suite),
    { env: addresses(suite) },
    ...(name === 'knowledge' ? [searchPart(suite), graphPart(suite)] : []),
    aiPart(suite, name),
    own[name]?.(suite) ?? {},
    { env: givenVariables(suite, name) },
  ]
}

const givenVariables = ({ spec }: Wanted, name: ServiceName): Variable[] =>
  (spec.services?.[name]?.env ?? []).flatMap((given) =>
    given.secretKeyRef
      ? secretVariable(given.name, given.secretKeyRef)
      : variables({ [given.name]: given.value ?? '' }),
  )

/** What one service of a suite is in the cluster. */
export function service(suite: Wanted, name: ServiceName, facts: Facts): KubeObject[] {
  const scaled = autoscaler(suite, name)
  return [
    account(suite, name),
    object(suite, name, ['v1', 'Service'], {
      spec: {
        type: 'ClusterIP',
        selector: selectorOf(suite, name),
        ports: [{ name: 'http', port, targetPort: 'http', protocol: 'TCP', appProtocol: 'http' }],
      },
    }),
    deployment(suite, name, facts),
    budget(suite, name),
    ...scaled,
  ]
}

function deployment(suite: Wanted, name: ServiceName, facts: Facts): KubeObject {
  const { replicas = 1, autoscaling } = suite.spec.services?.[name] ?? {}
  const template = podTemplate(suite, name, facts)
  const turns = name === 'files' && takesTurns(suite)
  const count = suite.spec.hibernated ? 0 : replicas
  const spec = {
    ...((!autoscaling || suite.spec.hibernated) && { replicas: count }),
    revisionHistoryLimit: 3,
    progressDeadlineSeconds: name === 'collector' ? 1200 : 600,
    strategy: turns
      ? { type: 'Recreate' }
      : { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    selector: { matchLabels: selectorOf(suite, name) },
    template,
  }
  return object(
    suite,
    name,
    ['apps/v1', 'Deployment'],
    { spec },
    {
      annotations: { [rolloutAnnotation]: hashOf(template) },
    },
  )
}

function podTemplate(suite: Wanted, name: ServiceName, facts: Facts) {
  const parts = partsOf(suite, name)
  const container = containerOf(suite, name, parts)
  return {
    metadata: {
      labels: { ...labelsOf(suite, name), 'app.kubernetes.io/version': suite.spec.version },
      annotations: secretsChecksum([container], facts),
    },
    spec: {
      serviceAccountName: nameOf(suite, name),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: identity(10_001),
      terminationGracePeriodSeconds: 40,
      ...scheduling(suite, name),
      containers: [container],
      volumes: parts.flatMap(({ volumes = [] }) => volumes),
    },
  }
}

function containerOf(suite: Wanted, name: ServiceName, parts: Part[]): Container {
  const [request, limit] = memory[name] ?? ['192Mi', '512Mi']
  const usual = {
    requests: { cpu: '100m', memory: request, 'ephemeral-storage': '64Mi' },
    limits: { memory: limit, 'ephemeral-storage': '3Gi' },
  }
  return {
    name,
    image: imageOf(suite),
    imagePullPolicy: 'IfNotPresent',
    command: commandOf(suite, name),
    ports: [{ name: 'http', containerPort: port, protocol: 'TCP' }],
    env: lastOfEach(parts.flatMap(({ env = [] }) => env)),
    // Before collector-service answers it applies its seeds, which takes as long as it takes.
    startupProbe: httpProbe(`${health}/liveness`, {
      periodSeconds: 2,
      failureThreshold: name === 'collector' ? 450 : 90,
    }),
    readinessProbe: httpProbe(`${health}/readiness`, { periodSeconds: 5, timeoutSeconds: 3 }),
    livenessProbe: httpProbe(`${health}/liveness`, { periodSeconds: 10, timeoutSeconds: 3 }),
    // While addresses of the pod are still known elsewhere, it goes on answering.
    lifecycle: { preStop: { sleep: { seconds: 5 } } },
    resources: resourcesOf(suite.spec.services?.[name]?.resources, usual),
    securityContext: confined,
    volumeMounts: parts.flatMap(({ mounts = [] }) => mounts),
  }
}

/** What a suite says of a variable itself comes last, and stands. */
const lastOfEach = (list: Variable[]) => [
  ...new Map(list.map((each) => [each.name, each])).values(),
]
