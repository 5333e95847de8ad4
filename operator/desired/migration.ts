import type { KubeObject } from '../runtime/objects.ts'
import { account } from './backend.ts'
import { type Facts, hashOf, imageOf, labelsOf, nameOf, object, type Wanted } from './common.ts'
import { databasePart } from './database.ts'
import { type Container, confined, identity, scratch, secretsChecksum, variables } from './pod.ts'
import { migrateCommandOf } from './runtime.ts'

/**
 * Brings the schemas of all services up to date before any of them is rolled out. Its name is made of
 * what it runs, so each version has one of its own: a Job can't be changed.
 */
export function migration(suite: Wanted, facts: Facts): KubeObject[] {
  if (suite.spec.hibernated) return []
  const container: Container = {
    name: 'migrate',
    image: imageOf(suite),
    imagePullPolicy: 'IfNotPresent',
    command: migrateCommandOf(suite),
    env: [
      ...variables({
        ENVIRONMENT: suite.spec.environment ?? 'production',
        DATABASE_POOL: 2,
        ...(suite.spec.runtime === 'Deno' && { DENO_DIR: '/tmp/deno' }),
      }),
      ...databasePart(suite).env!,
    ],
    resources: {
      requests: { cpu: '100m', memory: '192Mi', 'ephemeral-storage': '64Mi' },
      limits: { memory: '512Mi', 'ephemeral-storage': '1Gi' },
    },
    securityContext: confined,
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
  }
  const template = {
    metadata: {
      labels: labelsOf(suite, 'migrate'),
      annotations: secretsChecksum([container], facts),
    },
    spec: {
      serviceAccountName: nameOf(suite, 'migrate'),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      restartPolicy: 'Never',
      securityContext: identity(10_001),
      containers: [container],
      volumes: [scratch('tmp')],
    },
  }
  return [
    account(suite, 'migrate'),
    object(
      suite,
      'migrate',
      ['batch/v1', 'Job'],
      { spec: { backoffLimit: 3, activeDeadlineSeconds: 1800, template } },
      { name: nameOf(suite, `migrate-${hashOf(template).slice(0, 10)}`) },
    ),
  ]
}
