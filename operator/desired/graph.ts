import type { KubeObject } from '../runtime/objects.ts'
import { account, budget, onlyService, statefulSet } from './backend.ts'
import { type Facts, nameOf, type Wanted } from './common.ts'
import {
  type Container,
  confined,
  type Part,
  resourcesOf,
  scratch,
  secretVariable,
  variables,
} from './pod.ts'
import { claim } from './storage.ts'

const image = 'neo4j:5.26-community'
/** The user that the image's own files belong to. */
const user = 7474
const usual = {
  requests: { cpu: '250m', memory: '1Gi', 'ephemeral-storage': '64Mi' },
  limits: { memory: '2Gi', 'ephemeral-storage': '2Gi' },
}

export function graphPart(suite: Wanted): Part {
  const { type, external } = suite.spec.graph ?? { type: 'Disabled' }
  if (type === 'Disabled') return { env: variables({ LEGAL_GRAPH_ENABLED: false }) }
  const own = { name: nameOf(suite, 'neo4j'), key: 'password' }
  return {
    env: [
      ...variables({
        LEGAL_GRAPH_ENABLED: true,
        NEO4J_URL: external?.url ?? `bolt://${nameOf(suite, 'neo4j')}:7687`,
        NEO4J_USER: external?.user,
        NEO4J_DATABASE: external?.database,
      }),
      ...secretVariable('NEO4J_PASSWORD', external ? external.passwordSecretRef : own),
    ],
  }
}

export function graph(suite: Wanted, facts: Facts): KubeObject[] {
  if (suite.spec.graph?.type !== 'Managed') return []
  const { storage, image: given = image, resources } = suite.spec.graph.managed ?? {}
  // Its start writes into its configuration, so it gets a copy of what the image has.
  const copy: Container = {
    name: 'configuration',
    image: given,
    imagePullPolicy: 'IfNotPresent',
    command: ['cp', '-R', '/var/lib/neo4j/conf/.', '/copy/'],
    resources: resourcesOf(undefined, usual),
    securityContext: confined,
    volumeMounts: [{ name: 'conf', mountPath: '/copy' }],
  }
  const pods = {
    container: container(suite, given, resourcesOf(resources, usual)),
    initContainers: [copy],
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: nameOf(suite, 'neo4j') } },
      scratch('conf', '16Mi'),
      scratch('logs'),
      scratch('run', '16Mi'),
      scratch('tmp'),
    ],
    user,
    replicas: 1,
    serviceName: nameOf(suite, 'neo4j'),
  }
  return [
    account(suite, 'neo4j'),
    claim(suite, 'neo4j', { size: '10Gi', ...storage }),
    onlyService(suite, 'neo4j', [['bolt', 7687]]),
    statefulSet(suite, 'neo4j', pods, facts),
    budget(suite, 'neo4j'),
  ]
}

function container(suite: Wanted, image: string, resources: unknown): Container {
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
      ...secretVariable('NEO4J_AUTH', { name: nameOf(suite, 'neo4j'), key: 'auth' }),
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
    securityContext: confined,
    volumeMounts: [
      { name: 'data', mountPath: '/data' },
      { name: 'conf', mountPath: '/var/lib/neo4j/conf' },
      { name: 'logs', mountPath: '/logs' },
      { name: 'run', mountPath: '/var/lib/neo4j/run' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  }
}
