import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { SecretKey } from '../api/fields.ts'
import type { LegalSuite } from '../api/legal-suite.ts'
import {
  dataLabel,
  type Facts,
  nothingKnown,
  ownerReference,
  ownLabels,
  retains,
} from '../desired/common.ts'
import { type Generated, generated } from '../desired/generated.ts'
import { desired } from '../desired/index.ts'
import { keySecretOf } from '../desired/key.ts'
import { type Container, secretsIn } from '../desired/pod.ts'
import { isConflict } from '../runtime/api-error.ts'
import { adoptAnnotation } from '../runtime/apply.ts'
import type { Client } from '../runtime/client.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { resourceOf } from '../runtime/resources.ts'

type Secret = KubeObject & { data?: Record<string, string> }

const secretResource = resourceOf('v1', 'Secret')

export interface Secrets {
  /** Hashes of the entries that are there; see `Facts`. */
  secrets: Facts['secrets']
  missing: ReadonlySet<string>
  /** The current internal key, and its name in public. */
  keyId?: string
  /** Secrets that were made just now. */
  made: string[]
  /** Secrets that have a name of ours and are somebody else's. */
  foreign: string[]
}

/** Makes the Secrets that only the operator knows of, and looks at all that pods of the suite read. */
export async function readSecrets(client: Client, suite: LegalSuite): Promise<Secrets> {
  const own = generated(suite)
  const key: SecretKey = { name: keySecretOf(suite), key: 'current' }
  const wanted = [...referenced(suite), key]
  const names = [...new Set([...wanted.map(({ name }) => name), ...own.map(({ name }) => name)])]
  const { namespace, uid } = suite.metadata
  const found = new Map<string, Secret>()
  const made: string[] = []
  const foreign: string[] = []
  await Promise.all(
    names.map(async (name) => {
      const ours = own.find((each) => each.name === name)
      let secret = await client.get<Secret>(secretResource, { namespace, name })
      if (!secret && ours) {
        secret = await make(client, suite, ours)
        made.push(name)
      }
      if (secret && ours && !isOurs(secret, suite)) foreign.push(name)
      if (secret) found.set(name, secret)
    }),
  )
  const entry = ({ name, key }: SecretKey) => found.get(name)?.data?.[key]
  const secrets = new Map<string, string>()
  const missing = new Set<string>()
  for (const each of wanted) {
    const value = entry(each)
    const id = `${each.name}/${each.key}`
    if (value) secrets.set(id, createHmac('sha256', uid).update(value).digest('hex'))
    else missing.add(id)
  }
  const current = keyIn(entry(key))
  return {
    secrets,
    missing,
    made: made.sort(),
    foreign: foreign.sort(),
    ...(current && { keyId: keyIdOf(current) }),
  }
}

const isOurs = ({ metadata }: Secret, suite: LegalSuite) =>
  metadata.annotations?.[adoptAnnotation] === 'true' ||
  Object.entries(ownLabels(suite)).every(([name, value]) => metadata.labels?.[name] === value)

/** The current internal key of a suite. */
export async function currentKey(client: Client, suite: LegalSuite): Promise<string | undefined> {
  const ref = { namespace: suite.metadata.namespace, name: keySecretOf(suite) }
  return keyIn((await client.get<Secret>(secretResource, ref))?.data?.current)
}

const keyIn = (value: string | undefined) =>
  value === undefined
    ? undefined
    : Buffer.from(value, 'base64').toString('utf8').split('\n')[0]!.trim() || undefined

/** As the services tell it: the first twelve hex digits of its SHA-256. */
const keyIdOf = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 12)

const seen = new WeakMap<LegalSuite['spec'], SecretKey[]>()

/** What pods of the suite read when they start; of one spec always the same. */
function referenced(suite: LegalSuite): SecretKey[] {
  const known = seen.get(suite.spec)
  if (known) return known
  const pods = desired(suite, nothingKnown) as (KubeObject & {
    spec?: { template?: { spec?: { containers?: Container[] } } }
  })[]
  const list = pods.flatMap(({ spec }) => secretsIn(spec?.template?.spec?.containers ?? []))
  seen.set(suite.spec, list)
  return list
}

async function make(client: Client, suite: LegalSuite, given: Generated): Promise<Secret> {
  const values = given.values(() => randomBytes(32).toString('base64url'))
  const data = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  )
  try {
    return await client.create<Secret>(secretResource, { ...secretObject(suite, given), data })
  } catch (error) {
    if (!isConflict(error)) throw error
    const ref = { namespace: suite.metadata.namespace, name: given.name }
    return (await client.get<Secret>(secretResource, ref))!
  }
}

/** What is said of such a Secret again and again: whose it is. What is in it is never touched. */
export const secretObjects = (suite: LegalSuite): KubeObject[] =>
  generated(suite).map((each) => {
    const { ownerReferences: _, ...metadata } = secretObject(suite, each).metadata
    return { apiVersion: 'v1', kind: 'Secret', metadata }
  })

function secretObject(suite: LegalSuite, { name, labels }: Generated): Secret {
  const stays = labels[dataLabel] === 'true' && retains(suite)
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: suite.metadata.namespace,
      labels: { ...labels, ...ownLabels(suite) },
      ...(!stays && { ownerReferences: [ownerReference(suite)] }),
    },
  }
}
