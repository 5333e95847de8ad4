import { defaultSizes } from '../api/volume-rules.ts'
import type { KubeObject } from '../runtime/objects.ts'
import {
  backendService,
  peersService,
  podDisruptionBudget,
  serviceAccount,
  statefulSet,
} from './backend.ts'
import { buildObject, type Facts, objectName, type SuiteInput } from './common.ts'
import {
  type Container,
  emptyDirVolume,
  httpProbe,
  mergeResources,
  type PodPart,
  restrictedSecurityContext,
  secretVariable,
  variables,
} from './pod.ts'

const defaultImage = 'qdrant/qdrant:v1.15.5-unprivileged'
const defaultResources = {
  requests: { cpu: '250m', memory: '512Mi', 'ephemeral-storage': '64Mi' },
  limits: { memory: '2Gi', 'ephemeral-storage': '1Gi' },
}

/** The search backend of knowledge-service. The database is the fallback. */
export function searchPart(suite: SuiteInput): PodPart {
  const { type, external, index } = suite.spec.search ?? { type: 'Database' }
  if (type === 'Database')
    return {
      env: variables({ KNOWLEDGE_SEARCH_BACKEND: 'database', KNOWLEDGE_SEARCH_INDEX: index }),
    }
  const key = { name: objectName(suite, 'qdrant'), key: 'api-key' }
  return {
    env: [
      ...variables({
        KNOWLEDGE_SEARCH_BACKEND: 'qdrant',
        KNOWLEDGE_SEARCH_INDEX: index,
        QDRANT_URL: external?.url ?? `http://${objectName(suite, 'qdrant')}:6333`,
      }),
      ...secretVariable('QDRANT_API_KEY', external ? external.apiKeySecretRef : key),
    ],
  }
}

export function searchObjects(suite: SuiteInput, facts: Facts): KubeObject[] {
  if (suite.spec.search?.type !== 'Managed') return []
  const { replicas = 1, storage } = suite.spec.search.managed ?? {}
  const { size = defaultSizes.search, storageClassName } = storage ?? {}
  const template = buildObject(suite, 'qdrant', ['v1', 'PersistentVolumeClaim'], {
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(storageClassName && { storageClassName }),
      resources: { requests: { storage: size } },
    },
  })
  const { labels } = template.metadata
  const pods = {
    container: qdrantContainer(suite, replicas),
    volumes: [emptyDirVolume('init', '1Mi'), emptyDirVolume('tmp')],
    user: 10_001,
    replicas,
    serviceName: objectName(suite, 'qdrant-peers'),
    volumeClaimTemplates: [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'storage', labels },
        spec: template.spec,
      },
    ],
  }
  return [
    serviceAccount(suite, 'qdrant'),
    backendService(suite, 'qdrant', [['http', 6333]]),
    peersService(suite, 'qdrant', [['peers', 6335]]),
    statefulSet(suite, 'qdrant', pods, facts),
    podDisruptionBudget(suite, 'qdrant'),
  ]
}

function qdrantContainer(suite: SuiteInput, replicas: number): Container {
  const { image: customImage, resources } = suite.spec.search?.managed ?? {}
  const peers = objectName(suite, 'qdrant-peers')
  const firstPeer = `http://${objectName(suite, 'qdrant')}-0.${peers}:6335`
  // Pod 0 starts the cluster, the others join it at each start.
  const joinCommand = `case "$HOSTNAME" in *-0) exec ./entrypoint.sh --uri ${firstPeer};; *) exec ./entrypoint.sh --bootstrap ${firstPeer} --uri "http://$HOSTNAME.${peers}:6335";; esac`
  return {
    name: 'qdrant',
    image: customImage ?? defaultImage,
    imagePullPolicy: 'IfNotPresent',
    ...(replicas > 1 && { command: ['/bin/bash', '-c', joinCommand] }),
    workingDir: '/qdrant',
    ports: [
      { name: 'http', containerPort: 6333 },
      { name: 'peers', containerPort: 6335 },
    ],
    env: [
      ...variables({
        QDRANT__CLUSTER__ENABLED: replicas > 1 ? true : undefined,
        QDRANT__STORAGE__SNAPSHOTS_PATH: '/qdrant/storage/snapshots',
        QDRANT__STORAGE__TEMP_PATH: '/qdrant/storage/tmp',
        QDRANT__TELEMETRY_DISABLED: true,
        QDRANT_INIT_FILE_PATH: '/qdrant/init/.qdrant-initialized',
      }),
      ...secretVariable('QDRANT__SERVICE__API_KEY', {
        name: objectName(suite, 'qdrant'),
        key: 'api-key',
      }),
    ],
    startupProbe: httpProbe('/readyz', { periodSeconds: 5, failureThreshold: 60 }),
    readinessProbe: httpProbe('/readyz', { periodSeconds: 5 }),
    livenessProbe: httpProbe('/livez', { periodSeconds: 20, failureThreshold: 6 }),
    resources: mergeResources(resources, defaultResources),
    securityContext: restrictedSecurityContext,
    volumeMounts: [
      { name: 'storage', mountPath: '/qdrant/storage' },
      { name: 'init', mountPath: '/qdrant/init' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  }
}
