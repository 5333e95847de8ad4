import { dataLabel, objectName, type SuiteInput, standardLabels } from './common.ts'
import { encryptionKeySecretName } from './gateway.ts'
import { internalKeySecretName } from './internal-key.ts'
import { isMonitored } from './monitoring.ts'

/** A Secret with random values that the operator creates once and never changes. */
export interface GeneratedSecret {
  name: string
  labels: Record<string, string>
  /** Builds the entries from random strings. Called once when the Secret is created. */
  values(random: () => string): Record<string, string>
  /** The volume that the values protect. Without the Secret its content cannot be read any more. */
  volume?: string
  /** The API server refuses changes of the values. */
  immutable?: boolean
}

/** Key of the digests of referenced Secrets. Pods do not read it. */
export const checksumKeySecretName = (suite: SuiteInput) => objectName(suite, 'checksum-key')

/**
 * The Secrets that the operator generates for this suite. Values are created elsewhere, so that this function
 * stays pure.
 */
export function generatedSecrets(suite: SuiteInput): GeneratedSecret[] {
  const { database, search, graph, internalKey, gateway } = suite.spec
  const secret = (
    app: string,
    values: GeneratedSecret['values'],
    data: boolean,
  ): GeneratedSecret => ({
    name: objectName(suite, app),
    labels: { ...standardLabels(suite, app), ...(data && { [dataLabel]: 'true' }) },
    values,
  })
  const volume = (app: string) => ({ volume: objectName(suite, app) })
  const list = [secret('checksum-key', (random) => ({ key: random() }), true)]
  if (!internalKey) {
    const key = secret('internal-key', (random) => ({ current: random(), accepted: '' }), false)
    // A changed key would reach the services at different times. A new key needs a new Secret.
    list.push({ ...key, name: internalKeySecretName(suite), immutable: true })
  }
  if (isMonitored(suite)) list.push(secret('metrics', (random) => ({ token: random() }), false))
  if (gateway?.oidc) {
    const encryption = secret('gateway-encryption', (random) => ({ key: random() }), true)
    list.push({ ...encryption, name: encryptionKeySecretName(suite) })
  }
  if (database.type === 'Embedded') {
    const host = objectName(suite, 'postgres')
    const values = (random: () => string) => {
      const password = random()
      return { password, url: `postgres://legal:${password}@${host}:5432/legal` }
    }
    list.push({ ...secret('postgres', values, true), ...volume('postgres') })
  }
  if (search?.type === 'Managed')
    list.push(secret('qdrant', (random) => ({ 'api-key': random() }), false))
  if (graph?.type === 'Managed') {
    const values = (random: () => string) => {
      const password = random()
      return { password, auth: `neo4j/${password}` }
    }
    list.push({ ...secret('neo4j', values, true), ...volume('neo4j') })
  }
  return list
}
