import { defaultSizes } from '../api/volume-rules.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { headlessService, podDisruptionBudget, serviceAccount, statefulSet } from './backend.ts'
import { buildObject, dataLabel, type Facts, objectName, type SuiteInput } from './common.ts'
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

/** PostgreSQL with pgvector, so that search by vectors works in the database. */
const defaultImage = 'pgvector/pgvector:0.8.1-pg18'
const defaultResources = {
  requests: { cpu: '250m', memory: '512Mi', 'ephemeral-storage': '128Mi' },
  limits: { memory: '1Gi', 'ephemeral-storage': '1Gi' },
}

/** The Secret entry with the database URL, password included. */
export function databaseSecretRef(suite: SuiteInput) {
  const { type, external } = suite.spec.database
  if (type === 'External') return external!.secretRef
  return type === 'CloudNativePG'
    ? { name: `${objectName(suite, 'pg')}-app`, key: 'uri' }
    : { name: objectName(suite, 'postgres'), key: 'url' }
}

export const databasePart = (suite: SuiteInput): PodPart => ({
  env: [
    ...secretVariable('DATABASE_URL', databaseSecretRef(suite)),
    ...variables({
      DATABASE_DRIVER: suite.spec.database.external?.driver ?? 'postgres',
      NEON_WS_PROXY: suite.spec.database.external?.websocketProxy,
    }),
  ],
})

export function databaseObjects(suite: SuiteInput, facts: Facts): KubeObject[] {
  const { type } = suite.spec.database
  if (type === 'Embedded') return embeddedPostgres(suite, facts)
  return type === 'CloudNativePG' ? [cnpgCluster(suite)] : []
}

/** A CloudNativePG Cluster. It counts as data because its deletion deletes its volumes. */
function cnpgCluster(suite: SuiteInput): KubeObject {
  const { instances = 3, storage, imageName, resources } = suite.spec.database.cloudNativePG!
  const spec = {
    instances,
    ...(imageName && { imageName }),
    storage: {
      size: storage.size,
      ...(storage.storageClassName && { storageClass: storage.storageClassName }),
    },
    resources: mergeResources(resources, {
      requests: { cpu: '250m', memory: '512Mi' },
      limits: { memory: '1Gi' },
    }),
    bootstrap: { initdb: { database: 'legal', owner: 'legal' } },
  }
  return buildObject(
    suite,
    'pg',
    ['postgresql.cnpg.io/v1', 'Cluster'],
    { spec },
    {
      labels: { [dataLabel]: 'true' },
      annotations: { 'cnpg.io/hibernation': suite.spec.hibernated ? 'on' : 'off' },
    },
  )
}

function embeddedPostgres(suite: SuiteInput, facts: Facts): KubeObject[] {
  const { storage, resources, image: customImage } = suite.spec.database.embedded ?? {}
  const container: Container = {
    name: 'postgres',
    image: customImage ?? defaultImage,
    imagePullPolicy: 'IfNotPresent',
    ports: [{ name: 'postgres', containerPort: 5432 }],
    env: [
      ...variables({
        POSTGRES_USER: 'legal',
        POSTGRES_DB: 'legal',
        PGDATA: '/var/lib/postgresql/data/pgdata',
      }),
      ...secretVariable('POSTGRES_PASSWORD', {
        name: objectName(suite, 'postgres'),
        key: 'password',
      }),
    ],
    readinessProbe: {
      exec: { command: ['pg_isready', '-U', 'legal', '-d', 'legal'] },
      periodSeconds: 5,
    },
    livenessProbe: {
      tcpSocket: { port: 'postgres' },
      initialDelaySeconds: 60,
      periodSeconds: 20,
      failureThreshold: 6,
    },
    resources: mergeResources(resources, defaultResources),
    securityContext: restrictedSecurityContext,
    volumeMounts: [
      { name: 'data', mountPath: '/var/lib/postgresql/data' },
      { name: 'run', mountPath: '/var/run/postgresql' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  }
  const volumes = [
    { name: 'data', persistentVolumeClaim: { claimName: objectName(suite, 'postgres') } },
    emptyDirVolume('run', '16Mi'),
    emptyDirVolume('tmp'),
  ]
  return [
    serviceAccount(suite, 'postgres'),
    persistentVolumeClaim(suite, 'postgres', { size: defaultSizes.database, ...storage }),
    headlessService(suite, 'postgres', [['postgres', 5432]]),
    statefulSet(
      suite,
      'postgres',
      { container, volumes, user: 10_001, replicas: 1, serviceName: objectName(suite, 'postgres') },
      facts,
    ),
    podDisruptionBudget(suite, 'postgres'),
  ]
}
