import { defaultSizes } from '../api/volume-rules.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { headlessService, podDisruptionBudget, serviceAccount, statefulSet } from './backend.ts'
import { type Facts, objectName, type SuiteInput } from './common.ts'
import {
  type Container,
  emptyDirVolume,
  mergeResources,
  type PodPart,
  restrictedSecurityContext,
  secretVariable,
  variables,
} from './pod.ts'
import { persistentVolumeClaim } from './storage.ts'

const defaultImage = 'neo4j:5.26.12-community'
/** The user id that owns the files of the image. */
const user = 7474
const defaultResources = {
  requests: { cpu: '250m', memory: '1Gi', 'ephemeral-storage': '64Mi' },
  limits: { memory: '2Gi', 'ephemeral-storage': '2Gi' },
}

export function graphPart(suite: SuiteInput): PodPart {
  const { type, external } = suite.spec.graph ?? { type: 'Disabled' }
  if (type === 'Disabled') return { env: variables({ LEGAL_GRAPH_ENABLED: false }) }
  const generatedPassword = { name: objectName(suite, 'neo4j'), key: 'password' }
  return {
    env: [
      ...variables({
        LEGAL_GRAPH_ENABLED: true,
        NEO4J_URL: external?.url ?? `bolt://${objectName(suite, 'neo4j')}:7687`,
        NEO4J_USER: external?.user,
        NEO4J_DATABASE: external?.database,
      }),
      ...secretVariable(
        'NEO4J_PASSWORD',
        external ? external.passwordSecretRef : generatedPassword,
      ),
    ],
  }
}

export function graphObjects(suite: SuiteInput, facts: Facts): KubeObject[] {
  if (suite.spec.graph?.type !== 'Managed') return []
  const {
    storage,
    image: containerImage = defaultImage,
    resources,
  } = suite.spec.graph.managed ?? {}
  // The entrypoint writes into its configuration directory, so it gets a writable copy.
  const copyConfiguration: Container = {
    name: 'configuration',
    image: containerImage,
    imagePullPolicy: 'IfNotPresent',
    command: ['cp', '-R', '/var/lib/neo4j/conf/.', '/copy/'],
    resources: mergeResources(undefined, defaultResources),
    securityContext: restrictedSecurityContext,
    volumeMounts: [{ name: 'conf', mountPath: '/copy' }],
  }
  const pods = {
    container: neo4jContainer(suite, containerImage, mergeResources(resources, defaultResources)),
    initContainers: [copyConfiguration],
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: objectName(suite, 'neo4j') } },
      emptyDirVolume('conf', '16Mi'),
      emptyDirVolume('logs'),
      emptyDirVolume('run', '16Mi'),
      emptyDirVolume('tmp'),
    ],
    user,
    replicas: 1,
    serviceName: objectName(suite, 'neo4j'),
  }
  return [
    serviceAccount(suite, 'neo4j'),
    persistentVolumeClaim(suite, 'neo4j', { size: defaultSizes.graph, ...storage }),
    headlessService(suite, 'neo4j', [['bolt', 7687]]),
    statefulSet(suite, 'neo4j', pods, facts),
    podDisruptionBudget(suite, 'neo4j'),
  ]
}

function neo4jContainer(suite: SuiteInput, image: string, resources: unknown): Container {
  return {
    name: 'neo4j',
    image,
    imagePullPolicy: 'IfNotPresent',
    ports: [{ name: 'bolt', containerPort: 7687 }],
    env: [
      ...variables({
        NEO4J_server_http_enabled: false,
        NEO4J_dbms_usage__report_enabled: false,
        NEO4J_server_directories_run: '/var/lib/neo4j/run',
      }),
      ...secretVariable('NEO4J_AUTH', { name: objectName(suite, 'neo4j'), key: 'auth' }),
    ],
    startupProbe: { tcpSocket: { port: 'bolt' }, periodSeconds: 5, failureThreshold: 60 },
    readinessProbe: { tcpSocket: { port: 'bolt' }, periodSeconds: 5 },
    livenessProbe: {
      exec: { command: ['bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/7687'] },
      periodSeconds: 20,
      timeoutSeconds: 5,
      failureThreshold: 6,
    },
    resources,
    securityContext: restrictedSecurityContext,
    volumeMounts: [
      { name: 'data', mountPath: '/data' },
      { name: 'conf', mountPath: '/var/lib/neo4j/conf' },
      { name: 'logs', mountPath: '/logs' },
      { name: 'run', mountPath: '/var/lib/neo4j/run' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  }
}
