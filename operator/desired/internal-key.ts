import { nameOf, type SuiteInput } from './common.ts'
import type { PodPart } from './pod.ts'

export const keyDirectory = '/etc/legal-suite/internal-key'

/** Name of the Secret with the internal key: the configured one or the generated one. */
export const keySecretOf = (suite: SuiteInput) =>
  suite.spec.internalKey?.secretName ?? nameOf(suite, 'internal-key')

/** Mounts the key as files: services reload a changed key without a restart. */
export const internalKeyPart = (suite: SuiteInput): PodPart => ({
  env: [{ name: 'INTERNAL_API_KEY_DIR', value: keyDirectory }],
  volumes: [
    {
      name: 'internal-key',
      secret: { secretName: keySecretOf(suite), defaultMode: 0o440 },
    },
  ],
  mounts: [{ name: 'internal-key', mountPath: keyDirectory, readOnly: true }],
})
