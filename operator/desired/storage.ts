import { defaultSizes } from '../api/volume-rules.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { buildObject, dataLabel, objectName, type SuiteInput, selectorLabels } from './common.ts'
import { type PodPart, secretVariable, variables } from './pod.ts'

interface VolumeOptions {
  size: string
  storageClassName?: string | undefined
  accessMode?: string | undefined
}

/** A PersistentVolumeClaim marked as data. */
export const persistentVolumeClaim = (
  suite: SuiteInput,
  app: string,
  { size, storageClassName, accessMode }: VolumeOptions,
) =>
  buildObject(
    suite,
    app,
    ['v1', 'PersistentVolumeClaim'],
    {
      spec: {
        accessModes: [accessMode ?? 'ReadWriteOnce'],
        ...(storageClassName && { storageClassName }),
        resources: { requests: { storage: size } },
      },
    },
    { labels: { [dataLabel]: 'true' } },
  )

const directory = '/data/files'

const usesVolume = ({ spec }: SuiteInput) => spec.objectStorage?.type !== 'S3'

const isSharedVolume = ({ spec }: SuiteInput) =>
  spec.objectStorage?.volume?.accessMode === 'ReadWriteMany'

/**
 * Pods share a ReadWriteOnce volume on one node. The next pod starts there beside the running one, so that an
 * update does not interrupt the service. A node without room for it leaves the next pod pending.
 */
export const filesAffinity = (suite: SuiteInput) =>
  usesVolume(suite) && !isSharedVolume(suite)
    ? {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              {
                labelSelector: { matchLabels: selectorLabels(suite, 'files') },
                topologyKey: 'kubernetes.io/hostname',
              },
            ],
          },
        },
      }
    : {}

export function storageObjects(suite: SuiteInput): KubeObject[] {
  if (!usesVolume(suite)) return []
  const { storage: volume, accessMode } = suite.spec.objectStorage?.volume ?? {}
  return [
    persistentVolumeClaim(suite, 'files', { size: defaultSizes.files, ...volume, accessMode }),
  ]
}

/** Storage settings of files-service and its public URL. */
export function storagePart(suite: SuiteInput): PodPart {
  const { objectStorage, gateway } = suite.spec
  const scheme = gateway?.tls || gateway?.httpRoute ? 'https' : 'http'
  const publicUrl = variables({
    FILES_PUBLIC_URL: gateway && `${scheme}://${gateway.host}/files-service`,
  })
  if (usesVolume(suite)) {
    return {
      env: [...variables({ FILES_STORAGE: 'fs', FILES_DIR: directory }), ...publicUrl],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: objectName(suite, 'files') } }],
      mounts: [{ name: 'data', mountPath: '/data' }],
    }
  }
  const { bucket, endpoint, region, forcePathStyle, credentialsSecretRef } = objectStorage!.s3!
  const { name, accessKeyIdKey, secretAccessKeyKey } = credentialsSecretRef
  return {
    env: [
      ...variables({
        FILES_STORAGE: 's3',
        S3_BUCKET: bucket,
        S3_ENDPOINT: endpoint,
        S3_REGION: region,
        S3_FORCE_PATH_STYLE: forcePathStyle,
      }),
      ...secretVariable('S3_ACCESS_KEY_ID', { name, key: accessKeyIdKey ?? 'access-key-id' }),
      ...secretVariable('S3_SECRET_ACCESS_KEY', {
        name,
        key: secretAccessKeyKey ?? 'secret-access-key',
      }),
      ...publicUrl,
    ],
  }
}
