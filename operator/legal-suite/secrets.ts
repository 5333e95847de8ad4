import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { SecretKey } from '../api/fields.ts'
import type { LegalSuite } from '../api/legal-suite.ts'
import {
  dataLabel,
  type Facts,
  noFacts,
  ownerReference,
  ownershipLabels,
  retainsData,
} from '../desired/common.ts'
import { type GeneratedSecret, generatedSecrets } from '../desired/generated-secrets.ts'
import { desired } from '../desired/index.ts'
import { keySecretOf } from '../desired/internal-key.ts'
import { type Container, secretRefsOf } from '../desired/pod.ts'
import { isConflict } from '../runtime/api-error.ts'
import { adoptAnnotation } from '../runtime/apply.ts'
import type { Client } from '../runtime/client.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { resourceOf } from '../runtime/resources.ts'

type Secret = KubeObject & { data?: Record<string, string> }

const secretResource = resourceOf('v1', 'Secret')

export interface SecretReads {
  /** Digests of existing entries, see `Facts`. */
  secrets: Facts['secrets']
  missing: ReadonlySet<string>
  /** Public id of the current internal key. */
  keyId?: string
  /** Names of Secrets created by this call. */
  created: string[]
  /** Names of existing Secrets that belong to somebody else. */
  foreign: string[]
}

/** Creates missing generated Secrets and reads all Secrets that the pods reference. */
export async function readSecrets(client: Client, suite: LegalSuite): Promise<SecretReads> {
  const generatedList = generatedSecrets(suite)
  const key: SecretKey = { name: keySecretOf(suite), key: 'current' }
  const required = [...referencedSecrets(suite), key]
  const names = [
    ...new Set([...required.map(({ name }) => name), ...generatedList.map(({ name }) => name)]),
  ]
  const { namespace, uid } = suite.metadata
  const secretsByName = new Map<string, Secret>()
  const created: string[] = []
  const foreign: string[] = []
  await Promise.all(
    names.map(async (name) => {
      const generatedSecret = generatedList.find((each) => each.name === name)
      let secret = await client.get<Secret>(secretResource, { namespace, name })
      if (!secret && generatedSecret) {
        secret = await createSecret(client, suite, generatedSecret)
        created.push(name)
      }
      if (secret && generatedSecret && !isOwnedBySuite(secret, suite)) foreign.push(name)
      if (secret) secretsByName.set(name, secret)
    }),
  )
  const readEntry = ({ name, key }: SecretKey) => secretsByName.get(name)?.data?.[key]
  const secrets = new Map<string, string>()
  const missing = new Set<string>()
  for (const each of required) {
    const value = readEntry(each)
    const id = `${each.name}/${each.key}`
    if (value) secrets.set(id, createHmac('sha256', uid).update(value).digest('hex'))
    else missing.add(id)
  }
  const current = decodeKey(readEntry(key))
  return {
    secrets,
    missing,
    created: created.sort(),
    foreign: foreign.sort(),
    ...(current && { keyId: keyIdOf(current) }),
  }
}

const isOwnedBySuite = ({ metadata }: Secret, suite: LegalSuite) =>
  metadata.annotations?.[adoptAnnotation] === 'true' ||
  Object.entries(ownershipLabels(suite)).every(([name, value]) => metadata.labels?.[name] === value)

/** Reads the current internal key of a suite. */
export async function loadCurrentKey(
  client: Client,
  suite: LegalSuite,
): Promise<string | undefined> {
  const ref = { namespace: suite.metadata.namespace, name: keySecretOf(suite) }
  return decodeKey((await client.get<Secret>(secretResource, ref))?.data?.current)
}

const decodeKey = (value: string | undefined) =>
  value === undefined
    ? undefined
    : Buffer.from(value, 'base64').toString('utf8').split('\n')[0]!.trim() || undefined

/** The first twelve hex digits of the SHA-256, the id that services report. */
const keyIdOf = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 12)

const referenceCache = new WeakMap<LegalSuite['spec'], SecretKey[]>()

/** Secret entries referenced by pods, cached per spec. */
function referencedSecrets(suite: LegalSuite): SecretKey[] {
  const cached = referenceCache.get(suite.spec)
  if (cached) return cached
  const pods = desired(suite, noFacts) as (KubeObject & {
    spec?: { template?: { spec?: { containers?: Container[] } } }
  })[]
  const list = pods.flatMap(({ spec }) => secretRefsOf(spec?.template?.spec?.containers ?? []))
  referenceCache.set(suite.spec, list)
  return list
}

async function createSecret(
  client: Client,
  suite: LegalSuite,
  generatedSecret: GeneratedSecret,
): Promise<Secret> {
  const values = generatedSecret.values(() => randomBytes(32).toString('base64url'))
  const data = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  )
  try {
    return await client.create<Secret>(secretResource, {
      ...secretMetadata(suite, generatedSecret),
      data,
    })
  } catch (error) {
    if (!isConflict(error)) throw error
    const ref = { namespace: suite.metadata.namespace, name: generatedSecret.name }
    return (await client.get<Secret>(secretResource, ref))!
  }
}

/** The metadata applied to generated Secrets. Their values are never applied. */
export const secretObjects = (suite: LegalSuite): KubeObject[] =>
  generatedSecrets(suite).map((each) => {
    const { ownerReferences: _, ...metadata } = secretMetadata(suite, each).metadata
    return { apiVersion: 'v1', kind: 'Secret', metadata }
  })

function secretMetadata(suite: LegalSuite, { name, labels }: GeneratedSecret): Secret {
  const isRetained = labels[dataLabel] === 'true' && retainsData(suite)
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: suite.metadata.namespace,
      labels: { ...labels, ...ownershipLabels(suite) },
      ...(!isRetained && { ownerReferences: [ownerReference(suite)] }),
    },
  }
}
