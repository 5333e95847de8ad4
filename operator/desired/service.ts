import { type ServiceName, serviceNames, serviceTable } from '../api/service-table.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { aiPart } from './ai.ts'
import { podDisruptionBudget, serviceAccount } from './backend.ts'
import { port, serviceCommand } from './commands.ts'
import {
  buildObject,
  type Facts,
  imageReference,
  objectName,
  rolloutAnnotation,
  type SuiteInput,
  selectorLabels,
  shortHash,
  standardLabels,
} from './common.ts'
import { databasePart } from './database.ts'
import { gatewayPart } from './gateway.ts'
import { graphPart } from './graph.ts'
import { internalKeyPart, internalKeySecretName } from './internal-key.ts'
import { metricsPart } from './monitoring.ts'
import {
  type Container,
  emptyDirVolume,
  failureLog,
  httpHandler,
  mergeResources,
  type PodPart,
  podSecurityContext,
  restrictedSecurityContext,
  secretsChecksum,
  secretVariable,
  tcpHandler,
  type Variable,
  variables,
} from './pod.ts'
import { withPodSettings } from './pod-settings.ts'
import { autoscaler, scheduling } from './scaling.ts'
import { searchPart } from './search.ts'
import { seedsPart } from './seeds.ts'
import { filesAffinity, storagePart } from './storage.ts'

/**
 * The handlers of the probes. The gateway is public and has no internal paths. Its health path queries the
 * database, so as a liveness probe it would restart all gateways during an outage of the database.
 */
const probeHandlers = (name: ServiceName) => {
  if (name === 'gateway') return { liveness: tcpHandler, readiness: httpHandler('/healthz') }
  const base = '/api/v1/internal/actuator/health'
  return { liveness: httpHandler(`${base}/liveness`), readiness: httpHandler(`${base}/readiness`) }
}

/** The variable with the address of a service. */
export const addressVariable = (name: ServiceName) =>
  `${serviceTable[name].networkName.toUpperCase().replaceAll('-', '_')}_URL`

const peerUrls = (suite: SuiteInput) =>
  variables(
    Object.fromEntries(
      serviceNames
        .filter((name) => name !== 'gateway')
        .map((name) => [addressVariable(name), `http://${objectName(suite, name)}:${port}`]),
    ),
  )

const processPart = ({ spec }: SuiteInput): PodPart => ({
  env: variables({
    ENVIRONMENT: spec.environment ?? 'production',
    HOST: '0.0.0.0',
    PORT: port,
    MIGRATE: false,
    ...(spec.runtime === 'Deno' && { DENO_DIR: '/tmp/deno' }),
  }),
  volumes: [emptyDirVolume('tmp', '2Gi')],
  mounts: [{ name: 'tmp', mountPath: '/tmp' }],
})

/** The contributions of all concerns to the pod of a service. */
function podParts(suite: SuiteInput, name: ServiceName, facts: Facts): PodPart[] {
  const partByService: Partial<Record<ServiceName, (suite: SuiteInput) => PodPart>> = {
    files: storagePart,
    collector: seedsPart,
    gateway: gatewayPart,
  }
  return [
    processPart(suite),
    databasePart(suite),
    internalKeyPart(facts.internalKey ?? { current: internalKeySecretName(suite) }),
    metricsPart(suite),
    { env: peerUrls(suite) },
    ...(name === 'knowledge' ? [searchPart(suite), graphPart(suite)] : []),
    aiPart(suite, name),
    partByService[name]?.(suite) ?? {},
    { env: customVariables(suite, name) },
  ]
}

const customVariables = ({ spec }: SuiteInput, name: ServiceName): Variable[] =>
  (spec.services?.[name]?.env ?? []).flatMap((variable) =>
    variable.secretKeyRef
      ? secretVariable(variable.name, variable.secretKeyRef)
      : variables({ [variable.name]: variable.value ?? '' }),
  )

/** Builds the objects of one service. */
export function serviceObjects(suite: SuiteInput, name: ServiceName, facts: Facts): KubeObject[] {
  const autoscalers = autoscaler(suite, name)
  return [
    serviceAccount(suite, name),
    buildObject(suite, name, ['v1', 'Service'], {
      spec: {
        type: 'ClusterIP',
        selector: selectorLabels(suite, name),
        ports: [{ name: 'http', port, targetPort: 'http', protocol: 'TCP', appProtocol: 'http' }],
      },
    }),
    deployment(suite, name, facts),
    podDisruptionBudget(suite, name),
    ...autoscalers,
  ]
}

function deployment(suite: SuiteInput, name: ServiceName, facts: Facts): KubeObject {
  const { replicas = 1, autoscaling } = suite.spec.services?.[name] ?? {}
  const { metadata, spec: podSpec } = podTemplate(suite, name, facts)
  const rollout = { [rolloutAnnotation]: shortHash({ metadata, spec: podSpec }) }
  // Pods carry the annotation too, so that those of the current template can be told apart.
  const annotations = { ...metadata.annotations, ...rollout }
  const template = { metadata: { ...metadata, annotations }, spec: podSpec }
  const replicaCount = suite.spec.hibernated ? 0 : replicas
  const spec = {
    ...((!autoscaling || suite.spec.hibernated) && { replicas: replicaCount }),
    revisionHistoryLimit: 3,
    // A start is limited to three minutes by its probe. Startup seeds can take longer.
    progressDeadlineSeconds: name === 'collector' && suite.spec.seeds ? 1200 : 300,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    selector: { matchLabels: selectorLabels(suite, name) },
    template,
  }
  return buildObject(
    suite,
    name,
    ['apps/v1', 'Deployment'],
    { spec },
    {
      annotations: rollout,
    },
  )
}

function podTemplate(suite: SuiteInput, name: ServiceName, facts: Facts) {
  const parts = podParts(suite, name, facts)
  const container = serviceContainer(suite, name, parts)
  return withPodSettings(suite, {
    metadata: {
      labels: { ...standardLabels(suite, name), 'app.kubernetes.io/version': suite.spec.version },
      annotations: secretsChecksum([container], facts),
    },
    spec: {
      serviceAccountName: objectName(suite, name),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: podSecurityContext(10_001),
      terminationGracePeriodSeconds: 40,
      ...scheduling(suite, name),
      ...(name === 'files' && filesAffinity(suite)),
      containers: [container],
      volumes: parts.flatMap(({ volumes = [] }) => volumes),
    },
  })
}

function serviceContainer(suite: SuiteInput, name: ServiceName, parts: PodPart[]): Container {
  const { liveness, readiness } = probeHandlers(name)
  const { request, limit } = serviceTable[name].memory
  const defaultResources = {
    requests: { cpu: '100m', memory: request, 'ephemeral-storage': '64Mi' },
    limits: { memory: limit, 'ephemeral-storage': '3Gi' },
  }
  return {
    name,
    image: imageReference(suite),
    imagePullPolicy: 'IfNotPresent',
    command: serviceCommand(suite, name),
    ports: [{ name: 'http', containerPort: port, protocol: 'TCP' }],
    env: lastByName(parts.flatMap(({ env = [] }) => env)),
    // The delay covers a normal start: the kubelet reports each failed probe as a Warning.
    startupProbe: {
      ...liveness,
      initialDelaySeconds: 4,
      periodSeconds: 3,
      failureThreshold: 60,
    },
    readinessProbe: { ...readiness, periodSeconds: 5, timeoutSeconds: 3 },
    livenessProbe: { ...liveness, periodSeconds: 10, timeoutSeconds: 3 },
    // Keeps serving until the endpoint removal has reached all nodes.
    lifecycle: { preStop: { sleep: { seconds: 5 } } },
    resources: mergeResources(suite.spec.services?.[name]?.resources, defaultResources),
    ...failureLog,
    securityContext: restrictedSecurityContext,
    volumeMounts: parts.flatMap(({ mounts = [] }) => mounts),
  }
}

/** Keeps the last variable of each name: variables of the spec override those of the operator. */
const lastByName = (list: Variable[]) => [
  ...new Map(list.map((each) => [each.name, each])).values(),
]
