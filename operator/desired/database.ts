import type { KubeObject } from '../runtime/objects.ts'
import { account, budget, onlyService, statefulSet } from './backend.ts'
import { dataLabel, type Facts, nameOf, object, type Wanted } from './common.ts'
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

const image = 'postgres:18.1'
const usual = {
  requests: { cpu: '250m', memory: '512Mi', 'ephemeral-storage': '128Mi' },
  limits: { memory: '1Gi', 'ephemeral-storage': '1Gi' },
}

/** Where the address of the database is, with the password in it. */
export function databaseSecretOf(suite: Wanted) {
  const { type, external } = suite.spec.database
  if (type === 'External') return external!.secretRef
  return type === 'CloudNativePG'
    ? { name: `${nameOf(suite, 'pg')}-app`, key: 'uri' }
    : { name: nameOf(suite, 'postgres'), key: 'url' }
}

export const databasePart = (suite: Wanted): Part => ({
  env: [
    ...secretVariable('DATABASE_URL', databaseSecretOf(suite)),
    ...variables({
      DATABASE_DRIVER: suite.spec.database.external?.driver ?? 'postgres',
      NEON_WS_PROXY: suite.spec.database.external?.websocketProxy,
    }),
  ],
})

export function database(suite: Wanted, facts: Facts): KubeObject[] {
  const { type } = suite.spec.database
  if (type === 'Embedded') return embedded(suite, facts)
  return type === 'CloudNativePG' ? [cluster(suite)] : []
}

/** A cluster of the CloudNativePG operator; deleting it deletes its volumes, so it is data as well. */
function cluster(suite: Wanted): KubeObject {
  const { instances = 3, storage, imageName, resources } = suite.spec.database.cloudNativePG!
  const spec = {
    instances,
    ...(imageName && { imageName }),
    storage: {
      size: storage.size,
      ...(storage.storageClassName && { storageClass: storage.storageClassName }),
    },
    resources: resourcesOf(resources, {
      requests: { cpu: '250m', memory: '512Mi' },
      limits: { memory: '1Gi' },
    }),
    bootstrap: { initdb: { database: 'legal', owner: 'legal' } },
  }
  return object(
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

function embedded(suite: Wanted, facts: Facts): KubeObject[] {
  const { storage, resources, image: given } = suite.spec.database.embedded ?? {}
  const container: Container = {
    name: 'postgres',
    image: given ?? image,
    imagePullPolicy: 'IfNotPresent',
    ports: [{ name: 'postgres', containerPort: 5432 }],
    env: [
      ...variables({
        POSTGRES_USER: 'legal',
        POSTGRES_DB: 'legal',
        PGDATA: '/var/lib/postgresql/data/pgdata',
      }),
      ...secretVariable('POSTGRES_PASSWORD', { name: nameOf(suite, 'postgres'), key: 'password' }),
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
    resources: resourcesOf(resources, usual),
    securityContext: confined,
    volumeMounts: [
      { name: 'data', mountPath: '/var/lib/postgresql/data' },
      { name: 'run', mountPath: '/var/run/postgresql' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  }
  const volumes = [
    { name: 'data', persistentVolumeClaim: { claimName: nameOf(suite, 'postgres') } },
    scratch('run', '16Mi'),
    scratch('tmp'),
  ]
  return [
    account(suite, 'postgres'),
    claim(suite, 'postgres', { size: '10Gi', ...storage }),
    onlyService(suite, 'postgres', [['postgres', 5432]]),
    statefulSet(
      suite,
      'postgres',
      { container, volumes, user: 10_001, replicas: 1, serviceName: nameOf(suite, 'postgres') },
      facts,
    ),
    budget(suite, 'postgres'),
  ]
}
