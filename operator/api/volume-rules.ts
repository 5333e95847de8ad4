import type { CelRule } from './fields.ts'

/** Default sizes of the managed volumes. The objects and the rules use the same values. */
export const defaultSizes = { database: '10Gi', search: '10Gi', graph: '10Gi', files: '20Gi' }

type Version = 'self' | 'oldSelf'

/** CEL expression for an optional field with its default, whichever of its parents are missing. */
function valueOr(version: Version, path: string, fallback: string): string {
  const names = path.split('.')
  const parents = names.map((_, index) => `${version}.${names.slice(0, index + 1).join('.')}`)
  return `(${parents.map((each) => `has(${each})`).join(' && ')} ? ${version}.${path} : ${fallback})`
}

/** A transition rule that applies while the block is used before and after the edit. */
const whileUsed = (uses: (version: Version) => string, rule: string) =>
  `!(${uses('self')}) || !(${uses('oldSelf')}) || ${rule}`

const usesDatabase = (type: string) => (version: Version) => `${version}.database.type == '${type}'`
const usesManaged = (block: string) => (version: Version) =>
  `has(${version}.${block}) && ${version}.${block}.type == 'Managed'`
const usesVolume = (version: Version) =>
  `!has(${version}.objectStorage) || ${version}.objectStorage.type == 'Volume'`

const volumeRules = (
  path: string,
  defaultSize: string,
  uses: (version: Version) => string,
): CelRule[] => {
  const value = (version: Version, field: string, fallback: string) =>
    valueOr(version, `${path}.${field}`, fallback)
  const size = (version: Version) => `quantity(${value(version, 'size', `'${defaultSize}'`)})`
  const className = (version: Version) => value(version, 'storageClassName', "''")
  return [
    {
      rule: whileUsed(uses, `${size('self')}.compareTo(${size('oldSelf')}) >= 0`),
      message: `${path}.size cannot shrink (default ${defaultSize})`,
    },
    {
      rule: whileUsed(uses, `${className('self')} == ${className('oldSelf')}`),
      message: `${path}.storageClassName is immutable`,
    },
  ]
}

const searchStorage = 'search.managed.storage'
const searchSize = (version: Version) =>
  `quantity(${valueOr(version, `${searchStorage}.size`, `'${defaultSizes.search}'`)})`
const searchClass = (version: Version) =>
  valueOr(version, `${searchStorage}.storageClassName`, "''")
const searchReplicas = (version: Version) => valueOr(version, 'search.managed.replicas', '1')
const accessMode = (version: Version) =>
  valueOr(version, 'objectStorage.volume.accessMode', "'ReadWriteOnce'")

/**
 * Rules for edits of volumes. They belong to the spec, which always exists: rules of an optional block do not
 * run when the block appears or disappears, although its defaults describe the same volume.
 */
export const transitionRules: CelRule[] = [
  ...volumeRules('database.embedded.storage', defaultSizes.database, usesDatabase('Embedded')),
  ...volumeRules('graph.managed.storage', defaultSizes.graph, usesManaged('graph')),
  ...volumeRules('objectStorage.volume.storage', defaultSizes.files, usesVolume),
  {
    rule: whileUsed(usesVolume, `${accessMode('self')} == ${accessMode('oldSelf')}`),
    message: 'objectStorage.volume.accessMode is immutable (default ReadWriteOnce)',
  },
  {
    rule: whileUsed(
      usesManaged('search'),
      `(${searchSize('self')}.compareTo(${searchSize('oldSelf')}) == 0 && ${searchClass('self')} == ${searchClass('oldSelf')})`,
    ),
    message: `${searchStorage} is immutable (default ${defaultSizes.search}); create another suite or use type External`,
  },
  {
    rule: whileUsed(
      usesManaged('search'),
      `${searchReplicas('self')} >= ${searchReplicas('oldSelf')}`,
    ),
    message:
      'search.managed.replicas cannot shrink (default 1): Qdrant does not move the shards of removed nodes; create another suite or use type External',
  },
]
