import { createHash, randomBytes } from 'node:crypto'
import type { SecretKey } from '../api/fields.ts'
import type { LegalSuite } from '../api/legal-suite.ts'
import { dataLabel, type Facts, noFacts, ownershipLabels, retainsData } from '../desired/common.ts'
import { databaseSecretRef } from '../desired/database.ts'
import type { DatabaseTarget } from '../desired/database-egress.ts'
import { parseDatabaseTarget } from '../desired/database-egress.ts'
import {
  checksumKeySecretName,
  type GeneratedSecret,
  generatedSecrets,
} from '../desired/generated-secrets.ts'
import { desired } from '../desired/index.ts'
import { internalKeySecretName, type KeyMount } from '../desired/internal-key.ts'
import { type Container, collectSecretRefs } from '../desired/pod.ts'
import { secretDigest } from '../desired/secret-digest.ts'
import { isConflict } from '../runtime/api-error.ts'
import { adoptAnnotation } from '../runtime/apply.ts'
import type { Client } from '../runtime/client.ts'
import type { ObjectId } from '../runtime/inventory.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { getResource } from '../runtime/resources.ts'
import { ownerReferencesFor } from './retained.ts'

type LiveLookup = (id: ObjectId) => KubeObject | undefined

type Secret = KubeObject & { data?: Record<string, string>; immutable?: boolean }

const secretResource = getResource('v1', 'Secret')

export interface SecretReads {
  /** Digests of existing entries, see `Facts`. */
  secrets: Facts['secrets']
  /** Secret entries that do not exist, by `name/key`, and Secrets of volumes, by name. */
  missing: ReadonlySet<string>
  /** Host and port of an external database. */
  database?: DatabaseTarget
  /** The Secret whose key services send. */
  keySecret: string
  /** Public id of that key. */
  keyId?: string
  /** Public ids of the further keys that this Secret lets services accept. */
  acceptedKeyIds: string[]
  /** Names of Secrets created by this call. */
  created: string[]
  /** Names of existing Secrets that have another owner. */
  foreign: string[]
  /** Generated Secrets that are gone although their volume exists or, without `volume`, services use the key. */
  lost: { name: string; volume?: string }[]
}

/**
 * Creates missing generated Secrets, unless it is called with `readOnly`, and reads all Secrets that the pods
 * reference. The key of the digests never changes, so it is read once per version of its Secret.
 */
export function makeSecretReader() {
  const checksumKeys = new Map<string, { resourceVersion: string | undefined; key: string }>()

  return async (
    client: Client,
    suite: LegalSuite,
    getLive: LiveLookup,
    mount: KeyMount,
    readOnly = false,
  ): Promise<SecretReads> => {
    const { namespace } = suite.metadata
    const checksumSecret = checksumKeySecretName(suite)
    const cached = checksumKeys.get(`${namespace}/${checksumSecret}`)
    const { resourceVersion } = getLive(secretId(suite, checksumSecret))?.metadata ?? {}
    const cachedKey =
      resourceVersion && cached?.resourceVersion === resourceVersion ? cached : undefined
    const generated = generatedSecrets(suite).filter(
      ({ name }) => !cachedKey || name !== checksumSecret,
    )
    const current: SecretKey = { name: mount.current, key: 'current' }
    const mounted = new Set([
      internalKeySecretName(suite),
      mount.current,
      mount.accepted ?? mount.current,
    ])
    const keys = [...mounted].map((name) => ({ name, key: 'current' }))
    const required = [...referencedSecrets(suite), ...keys]
    const volumes = volumeSecretNames(suite)
    const names = [...required.map(({ name }) => name), ...volumes]
    const found = await readAll(client, suite, generated, names, readOnly)
    const checksumKey = cachedKey?.key ?? found.secrets.get(checksumSecret)?.data?.key ?? ''
    if (!cachedKey && checksumKey)
      checksumKeys.set(`${namespace}/${checksumSecret}`, {
        resourceVersion: found.secrets.get(checksumSecret)?.metadata.resourceVersion,
        key: checksumKey,
      })
    const { created, foreign, lost } = found
    const readEntry = ({ name, key }: SecretKey) => found.secrets.get(name)?.data?.[key]
    const secrets = new Map<string, string>()
    const missing = new Set<string>()
    for (const each of required) {
      const value = readEntry(each)
      const id = `${each.name}/${each.key}`
      if (value) secrets.set(id, secretDigest(checksumKey, value))
      else missing.add(id)
    }
    for (const name of volumes) if (!found.secrets.has(name)) missing.add(name)
    const key = decodeKey(readEntry(current))
    return {
      secrets,
      missing,
      created: created.sort(),
      foreign: foreign.sort(),
      lost,
      keySecret: mount.current,
      ...(key && { keyId: deriveKeyId(key) }),
      acceptedKeyIds: decodeKeys(readEntry({ ...current, key: 'accepted' })).map(deriveKeyId),
      ...externalDatabase(suite, readEntry(databaseSecretRef(suite))),
    }
  }
}

function externalDatabase({ spec }: LegalSuite, entry: string | undefined) {
  if (spec.database.type !== 'External' || !entry) return {}
  const { driver, websocketProxy } = spec.database.external!
  const url = Buffer.from(entry, 'base64').toString('utf8').trim()
  const database = parseDatabaseTarget(url, driver === 'neon' ? (websocketProxy ?? '') : undefined)
  return database ? { database } : {}
}

const secretId = ({ metadata }: LegalSuite, name: string): ObjectId => ({
  group: '',
  version: 'v1',
  kind: 'Secret',
  namespace: metadata.namespace,
  name,
})

async function readAll(
  client: Client,
  suite: LegalSuite,
  generated: GeneratedSecret[],
  required: string[],
  readOnly: boolean,
) {
  const { namespace } = suite.metadata
  const secrets = new Map<string, Secret>()
  const created: string[] = []
  const foreign: string[] = []
  const lost: SecretReads['lost'] = []
  const names = new Set([...required, ...generated.map(({ name }) => name)])
  await Promise.all(
    [...names].map(async (name) => {
      const generatedSecret = readOnly ? undefined : generated.find((each) => each.name === name)
      let secret = await client.get<Secret>(secretResource, { namespace, name })
      if (!secret && generatedSecret) {
        const { volume } = generatedSecret
        const isUsed =
          isKeyInUse(suite, name) || (await volumeExists(client, suite, generatedSecret))
        if (isUsed) {
          lost.push({ name, ...(volume && { volume }) })
          return
        }
        secret = await createSecret(client, suite, generatedSecret)
        created.push(name)
      }
      if (secret && generatedSecret) {
        if (!isOwnedBySuite(secret, suite)) foreign.push(name)
        else {
          await releaseOwnership(client, suite, generatedSecret, secret)
          if (generatedSecret.immutable && !secret.immutable)
            await client.merge(secretResource, secret.metadata, { immutable: true })
        }
      }
      if (secret) secrets.set(name, secret)
    }),
  )
  return { secrets, created, foreign, lost }
}

/** Services have the lost key in memory. They would reject a new one, and be rejected by those that have it. */
const isKeyInUse = ({ spec, status }: LegalSuite, name: string) =>
  status?.internalKey?.secretName === name &&
  !spec.hibernated &&
  (status.services?.some(({ available }) => available > 0) ?? false)

const volumes = getResource('v1', 'PersistentVolumeClaim')

async function volumeExists(client: Client, { metadata }: LegalSuite, { volume }: GeneratedSecret) {
  if (!volume) return false
  const ref = { namespace: metadata.namespace, name: volume }
  return (await client.get(volumes, ref, { metadataOnly: true })) !== undefined
}

/** Removes the owner reference of a retained Secret, whichever field manager set it. */
async function releaseOwnership(
  client: Client,
  suite: LegalSuite,
  generated: GeneratedSecret,
  secret: Secret,
) {
  if (generated.labels[dataLabel] !== 'true' || !retainsData(suite)) return
  const ownerReferences = ownerReferencesFor(suite, secret)
  if (!ownerReferences) return
  const { uid, resourceVersion } = secret.metadata
  const patch = { metadata: { uid, resourceVersion, ownerReferences } }
  await client.merge(secretResource, secret.metadata, patch)
}

const isOwnedBySuite = ({ metadata }: Secret, suite: LegalSuite) =>
  metadata.annotations?.[adoptAnnotation] === 'true' ||
  Object.entries(ownershipLabels(suite)).every(([name, value]) => metadata.labels?.[name] === value)

/** Reads the internal key that the services of a suite send. */
export async function loadCurrentKey(
  client: Client,
  suite: LegalSuite,
): Promise<string | undefined> {
  const name = suite.status?.internalKey?.secretName ?? internalKeySecretName(suite)
  const ref = { namespace: suite.metadata.namespace, name }
  return decodeKey((await client.get<Secret>(secretResource, ref))?.data?.current)
}

const decodeKeys = (value: string | undefined) =>
  Buffer.from(value ?? '', 'base64')
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

const decodeKey = (value: string | undefined) =>
  value === undefined
    ? undefined
    : Buffer.from(value, 'base64').toString('utf8').split('\n')[0]!.trim() || undefined

/** The first twelve hex digits of the SHA-256, the id that services report. */
const deriveKeyId = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 12)

/** Secrets of the additional volumes. Without them pods would hang in ContainerCreating. */
const volumeSecretNames = ({ spec }: LegalSuite) =>
  (spec.pods?.volumes ?? []).flatMap(({ secretName }) => secretName ?? [])

const referenceCache = new WeakMap<LegalSuite['spec'], SecretKey[]>()

/** Secret entries referenced by pods, cached per spec. */
function referencedSecrets(suite: LegalSuite): SecretKey[] {
  const cached = referenceCache.get(suite.spec)
  if (cached) return cached
  const pods = desired(suite, noFacts) as (KubeObject & {
    spec?: { template?: { spec?: { containers?: Container[] } } }
  })[]
  const list = pods.flatMap(({ spec }) => collectSecretRefs(spec?.template?.spec?.containers ?? []))
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
    const { immutable } = generatedSecret
    return await client.create<Secret>(secretResource, {
      ...secretMetadata(suite, generatedSecret),
      data,
      ...(immutable && { immutable }),
    })
  } catch (error) {
    if (!isConflict(error)) throw error
    const ref = { namespace: suite.metadata.namespace, name: generatedSecret.name }
    return (await client.get<Secret>(secretResource, ref))!
  }
}

/** The metadata applied to generated Secrets. Their values are never applied. */
export const secretObjects = (suite: LegalSuite): KubeObject[] =>
  generatedSecrets(suite).map((each) => secretMetadata(suite, each))

/** Without owner reference: applying the object adds it if the deletion policy requires it. */
const secretMetadata = (suite: LegalSuite, { name, labels }: GeneratedSecret): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace: suite.metadata.namespace,
    labels: { ...labels, ...ownershipLabels(suite) },
  },
})
