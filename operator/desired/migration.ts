import type { KubeObject } from '../runtime/objects.ts'
import { serviceAccount } from './backend.ts'
import { migrateCommand } from './commands.ts'
import {
  buildObject,
  type Facts,
  imageReference,
  objectName,
  type SuiteInput,
  shortHash,
  standardLabels,
} from './common.ts'
import { databasePart } from './database.ts'
import {
  type Container,
  emptyDirVolume,
  failureLog,
  podSecurityContext,
  restrictedSecurityContext,
  secretsChecksum,
  variables,
} from './pod.ts'
import { withPodSettings } from './pod-settings.ts'

/**
 * The Job that migrates the schemas of all services before any of them is rolled out. Its name contains a
 * hash of the pod template, because a Job is immutable.
 */
export function migrationObjects(suite: SuiteInput, facts: Facts): KubeObject[] {
  if (suite.spec.hibernated) return []
  const container: Container = {
    name: 'migrate',
    image: imageReference(suite),
    imagePullPolicy: 'IfNotPresent',
    command: migrateCommand(suite),
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
    ...failureLog,
    securityContext: restrictedSecurityContext,
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
  }
  const template = withPodSettings(suite, {
    metadata: {
      labels: standardLabels(suite, 'migrate'),
      annotations: secretsChecksum([container], facts),
    },
    spec: {
      serviceAccountName: objectName(suite, 'migrate'),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      restartPolicy: 'Never',
      securityContext: podSecurityContext(10_001),
      containers: [container],
      volumes: [emptyDirVolume('tmp')],
    },
  })
  return [
    serviceAccount(suite, 'migrate'),
    buildObject(
      suite,
      'migrate',
      ['batch/v1', 'Job'],
      { spec: { backoffLimit: 3, activeDeadlineSeconds: 1800, template } },
      { name: objectName(suite, `migrate-${shortHash(template).slice(0, 10)}`) },
    ),
  ]
}
