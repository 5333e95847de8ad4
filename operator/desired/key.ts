import { nameOf, type Wanted } from './common.ts'
import type { Part } from './pod.ts'

export const keyDirectory = '/etc/legal-suite/internal-key'

/** The Secret that holds the internal key; the operator makes it once, unless the suite names its own. */
export const keySecretOf = (suite: Wanted) =>
  suite.spec.internalKey?.secretName ?? nameOf(suite, 'internal-key')

/** Mounted, not read into the environment: a service sees a changed key without a restart. */
export const keyPart = (suite: Wanted): Part => ({
  env: [{ name: 'INTERNAL_API_KEY_DIR', value: keyDirectory }],
  volumes: [
    {
      name: 'internal-key',
      secret: { secretName: keySecretOf(suite), defaultMode: 0o440 },
    },
  ],
  mounts: [{ name: 'internal-key', mountPath: keyDirectory, readOnly: true }],
})
