import type { Schemas } from '@qdrant/js-client-rest'
import { hash32 } from '../../_kit/hash.ts'
import { extractTerms, termId } from '../search/index/terms.ts'
import type { WeightedTerm } from '../search/query/query-terms.ts'
import type { Filters } from '../search/query/request.ts'

/** Increased when the layout of points changes, so that all are written again. */
export const pointVersion = 1

/** Names of a point's vectors. Each embedding model has its own dense vector. */
export const sparseVectorName = 'words'
export const denseVectorName = (model: string) => `meaning_${hash32(model).toString(16)}`

const k1 = 1.2
const b = 0.75
/** Assumed average length: Qdrant does not maintain one. */
const referenceLength = 300

const perBase = 2 ** 32

export const pointId = (base: number, seq: number) => base * perBase + seq
export const toChunkRef = (id: number) => ({ base: Math.floor(id / perBase), seq: id % perBase })
/** Upper bound of all chunks. */
export const endRef = { base: 2 ** 31 - 1, seq: 0 }

/** Sparse BM25 vector of a text without the IDF, which Qdrant applies. */
export function sparseVector(text: string) {
  const counts = new Map<number, number>()
  const terms = extractTerms(text)
  for (const term of terms) {
    const id = termId(term) >>> 0
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  const norm = k1 * (1 - b + (b * terms.length) / referenceLength)
  const entries = [...counts].sort(([a], [b]) => a - b)
  return {
    indices: entries.map(([id]) => id),
    values: entries.map(([, count]) => (count * (k1 + 1)) / (count + norm)),
  }
}

export const sparseQuery = (terms: readonly WeightedTerm[]) => ({
  indices: terms.map(({ id }) => id >>> 0),
  values: terms.map(({ weight }) => weight),
})

export const dayNumber = (date: string) => Number(date.replaceAll('-', ''))

type Condition = Schemas['Condition']

const matchAny = (key: string, values: readonly string[] | readonly number[]): Condition => ({
  key,
  match: { any: [...values] as string[] | number[] },
})

const emptyOrInRange = (key: string, range: Schemas['Range']): Condition => ({
  should: [{ is_empty: { key } }, { key, range }],
})

/** Metadata members that Qdrant filters by; the database checks the others. */
const isFilterable = ([key, value]: [string, unknown]) =>
  /^\w{1,100}$/.test(key) &&
  (typeof value === 'boolean' || (typeof value === 'string' && value.length <= 200))

/** Merges the filterable metadata of a chunk and its document; a member may have several values. */
export function filterableMetadata(...sources: Record<string, unknown>[]) {
  const members = new Map<string, Set<unknown>>()
  for (const [key, value] of sources.flatMap(Object.entries<unknown>).filter(isFilterable)) {
    const values = members.get(key)
    if (values) values.add(value)
    else members.set(key, new Set([value]))
  }
  return Object.fromEntries(Array.from(members, ([key, values]) => [key, [...values]]))
}

/** Builds the part of the filters that Qdrant can check; the database checks the rest. */
export function buildFilter(bases: readonly number[], filters: Filters, asOf: string) {
  const { doc_types, document_ids, section_ids, metadata } = filters
  const indexed = Object.entries(metadata ?? {}).filter(isFilterable)
  return {
    must: [
      matchAny('kb', bases),
      ...(doc_types ? [matchAny('doc_type', doc_types)] : []),
      ...(document_ids ? [matchAny('document_id', document_ids)] : []),
      ...(section_ids ? [matchAny('section_id', section_ids)] : []),
      ...indexed.map(([key, value]) => ({ key: `metadata.${key}`, match: { value } })),
      emptyOrInRange('from', { lte: dayNumber(asOf) }),
      emptyOrInRange('to', { gt: dayNumber(asOf) }),
    ],
  }
}
