import type { KubeObject } from '../runtime/objects.ts'
import { objectName, type SuiteInput } from './common.ts'
import type { PodPart, Volume } from './pod.ts'

export const keyDirectory = '/etc/legal-suite/internal-key'
const volumeName = 'internal-key'
const defaultMode = 0o440

/** Name of the Secret with the internal key: the configured one or the generated one. */
export const internalKeySecretName = (suite: SuiteInput) =>
  suite.spec.internalKey?.secretName ?? objectName(suite, 'internal-key')

/**
 * The Secrets that a service mounts. `current` has the key that it sends. With `accepted` it accepts the
 * current key of a second Secret too, while the suite switches from one Secret to another.
 */
export interface KeyMount {
  current: string
  accepted?: string
}

/** Mounts the key as files: services reload a changed key without a restart. */
export const internalKeyPart = (mount: KeyMount): PodPart => ({
  env: [{ name: 'INTERNAL_API_KEY_DIR', value: keyDirectory }],
  volumes: [keyVolume(mount)],
  mounts: [{ name: volumeName, mountPath: keyDirectory, readOnly: true }],
})

const keyVolume = ({ current, accepted }: KeyMount): Volume =>
  accepted === undefined
    ? { name: volumeName, secret: { secretName: current, defaultMode } }
    : {
        name: volumeName,
        projected: {
          defaultMode,
          sources: [keySource(current, 'current'), keySource(accepted, 'accepted')],
        },
      }

const keySource = (name: string, path: string) => ({
  secret: { name, items: [{ key: 'current', path }] },
})

type KeyVolume = {
  name: string
  secret?: { secretName: string }
  projected?: { sources: { secret: { name: string; items: { path: string }[] } }[] }
}

/** Returns the Secrets that the pods of a Deployment mount as internal key. */
export function findKeyMount(deployment: KubeObject): KeyMount | undefined {
  const { template } = (deployment.spec ?? {}) as {
    template?: { spec?: { volumes?: KeyVolume[] } }
  }
  const volume = template?.spec?.volumes?.find(({ name }) => name === volumeName)
  if (volume?.secret) return { current: volume.secret.secretName }
  const findSecretName = (path: string) =>
    volume?.projected?.sources.find(({ secret }) => secret.items[0]?.path === path)?.secret.name
  const [current, accepted] = [findSecretName('current'), findSecretName('accepted')]
  return current && accepted ? { current, accepted } : undefined
}
