import { hash32 } from '../../_kit/hash.ts'
import type { Filters } from '../search/question.ts'
import { idOf, termsOf, type WeightedTerm } from '../search/terms.ts'

/** Moved whenever a point of the same chunk becomes another one. */
export const pointVersion = 1

/** The named vectors of a point. Those of two models have nothing to do with each other. */
export const byWords = 'words'
export const meaningOf = (model: string) => `meaning_${hash32(model).toString(16)}`

const k1 = 1.2
const b = 0.75
/** Collections know no average length; how far a chunk is from a usual one is what matters. */
const usualLength = 300

const perBase = 2 ** 32

/** A chunk's place as the id of its point, and back. */
export const pointId = (base: number, seq: number) => base * perBase + seq
export const placeOf = (id: number) => ({ base: Math.floor(id / perBase), seq: id % perBase })
/** No chunk comes after it. */
export const lastPlace = { base: 2 ** 31 - 1, seq: 0 }

/** A text as a sparse vector: BM25 but for the rarity of each term, which Qdrant knows. */
export function sparseOf(text: string) {
  const counts = new Map<number, number>()
  const terms = termsOf(text)
  for (const term of terms) {
    const id = idOf(term) >>> 0
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  const norm = k1 * (1 - b + (b * terms.length) / usualLength)
  const entries = [...counts].sort(([a], [b]) => a - b)
  return {
    indices: entries.map(([id]) => id),
    values: entries.map(([, count]) => (count * (k1 + 1)) / (count + norm)),
  }
}

export const sparseQuestion = (terms: readonly WeightedTerm[]) => ({
  indices: terms.map(({ id }) => id >>> 0),
  values: terms.map(({ weight }) => weight),
})

/** A date as a number, which Qdrant compares. */
export const dayOf = (date: string) => Number(date.replaceAll('-', ''))

type Condition = object

const among = (key: string, values: readonly (string | number)[]): Condition => ({
  key,
  match: { any: values },
})

/** Absent, or within the range. */
const unlessOutside = (key: string, range: object): Condition => ({
  should: [{ is_empty: { key } }, { key, range }],
})

/** A member of metadata by which Qdrant filters. */
const isPlain = ([key, value]: [string, unknown]) =>
  /^\w{1,100}$/.test(key) &&
  (typeof value === 'boolean' || (typeof value === 'string' && value.length <= 200))

/** What can be asked of the metadata of a chunk and its document: a member may have either's value. */
export function filterable(...sources: Record<string, unknown>[]) {
  const members = new Map<string, Set<unknown>>()
  for (const [key, value] of sources.flatMap(Object.entries<unknown>).filter(isPlain)) {
    const values = members.get(key)
    if (values) values.add(value)
    else members.set(key, new Set([value]))
  }
  return Object.fromEntries(Array.from(members, ([key, values]) => [key, [...values]]))
}

/** The part of a question's filters that Qdrant can tell; the database checks the rest. */
export function filterOf(bases: readonly number[], filters: Filters, asOf: string) {
  const { doc_types, document_ids, section_ids, metadata } = filters
  const plain = Object.entries(metadata ?? {}).filter(isPlain)
  return {
    must: [
      among('kb', bases),
      ...(doc_types ? [among('doc_type', doc_types)] : []),
      ...(document_ids ? [among('document_id', document_ids)] : []),
      ...(section_ids ? [among('section_id', section_ids)] : []),
      ...plain.map(([key, value]) => ({ key: `metadata.${key}`, match: { value } })),
      unlessOutside('from', { lte: dayOf(asOf) }),
      unlessOutside('to', { gt: dayOf(asOf) }),
    ],
  }
}
