import type { KubeObject } from '../runtime/objects.ts'
import { dataLabel, nameOf, object, type Wanted } from './common.ts'
import { type Part, secretVariable, variables } from './pod.ts'

interface Volume {
  size: string
  storageClassName?: string | undefined
  accessMode?: string | undefined
}

/** A volume that outlives the pods that use it, and the suite, unless that says otherwise. */
export const claim = (
  suite: Wanted,
  what: string,
  { size, storageClassName, accessMode }: Volume,
) =>
  object(
    suite,
    what,
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

const onVolume = ({ spec }: Wanted) => spec.objectStorage?.type !== 'S3'

/** A volume that one node at a time may have is given up before the next pod gets it. */
const sharesVolume = ({ spec }: Wanted) =>
  spec.objectStorage?.volume?.accessMode === 'ReadWriteMany'

export const takesTurns = (suite: Wanted) => onVolume(suite) && !sharesVolume(suite)

export function storage(suite: Wanted): KubeObject[] {
  if (!onVolume(suite)) return []
  const { storage: volume, accessMode } = suite.spec.objectStorage?.volume ?? {}
  return [claim(suite, 'files', { size: '20Gi', ...volume, accessMode })]
}

/** Where files-service keeps bytes, and by which address people get at them. */
export function storagePart(suite: Wanted): Part {
  const { objectStorage, gateway } = suite.spec
  const scheme = gateway?.tls || gateway?.httpRoute ? 'https' : 'http'
  const publicUrl = variables({
    FILES_PUBLIC_URL: gateway && `${scheme}://${gateway.host}/files-service`,
  })
  if (onVolume(suite)) {
    return {
      env: [...variables({ FILES_STORAGE: 'fs', FILES_DIR: directory }), ...publicUrl],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: nameOf(suite, 'files') } }],
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
