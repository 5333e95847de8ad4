import type * as z from 'zod'
import type { Condition, Filter, NewCollection, Point, Search, Sparse } from './schemas.ts'

/** An error response of Qdrant. */
export class QdrantError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const isSparse = (vector: unknown): vector is Sparse => !Array.isArray(vector)

/** An in-memory collection with exact search. */
export class Collection {
  readonly config: z.output<typeof NewCollection>
  readonly points = new Map<number, Point>()
  readonly fields = new Map<string, string>()

  constructor(config: z.output<typeof NewCollection>) {
    this.config = config
  }

  upsert(points: readonly Point[]) {
    for (const { vector } of points) {
      for (const [name, value] of Object.entries(vector)) this.checkVector(name, value)
    }
    for (const point of points) this.points.set(point.id, structuredClone(point))
  }

  private checkVector(name: string, vector: readonly number[] | Sparse) {
    const dense = this.config.vectors[name]
    const sparse = this.config.sparse_vectors[name]
    if (!dense && !sparse) throw new QdrantError(400, `Not existing vector name error: ${name}`)
    if (isSparse(vector) !== (sparse !== undefined)) throw new QdrantError(400, 'Conversion error')
    if (dense && !isSparse(vector) && vector.length !== dense.size) {
      throw new QdrantError(
        400,
        `Vector dimension error: expected ${dense.size}, got ${vector.length}`,
      )
    }
  }

  remove(selection: { points: number[] } | { filter: Filter }) {
    const ids =
      'points' in selection
        ? selection.points
        : this.filterPoints(selection.filter).map(({ id }) => id)
    for (const id of ids) this.points.delete(id)
  }

  sortedById() {
    return [...this.points.values()].sort((a, b) => a.id - b.id)
  }

  query({ query, using, filter, limit }: Search) {
    this.checkVector(using, query)
    const scorePoint = isSparse(query)
      ? this.makeSparseScorer(using, query)
      : makeCosineScorer(using, query)
    return this.filterPoints(filter)
      .flatMap(({ id, vector }) => {
        const own = vector[using]
        const score = own === undefined ? undefined : scorePoint(own)
        return score === undefined ? [] : [{ id, version: 0, score }]
      })
      .sort((a, b) => b.score - a.score || a.id - b.id)
      .slice(0, limit)
  }

  private makeSparseScorer(using: string, query: Sparse) {
    const isIdf = this.config.sparse_vectors[using]!.modifier === 'idf'
    const documentFrequency = new Map(query.indices.map((index) => [index, 0]))
    let pointCount = 0
    for (const { vector } of this.points.values()) {
      const own = vector[using]
      if (!own || !isSparse(own)) continue
      pointCount++
      for (const index of own.indices) {
        if (documentFrequency.has(index))
          documentFrequency.set(index, documentFrequency.get(index)! + 1)
      }
    }
    const idf = (index: number) =>
      Math.log(
        (pointCount - documentFrequency.get(index)! + 0.5) / (documentFrequency.get(index)! + 0.5) +
          1,
      )
    const weights = new Map(
      query.indices.map((index, at) => [index, query.values[at]! * (isIdf ? idf(index) : 1)]),
    )
    return (own: readonly number[] | Sparse) => {
      if (!isSparse(own) || !own.indices.some((index) => weights.has(index))) return undefined
      return own.indices.reduce(
        (sum, index, at) => sum + (weights.get(index) ?? 0) * own.values[at]!,
        0,
      )
    }
  }

  private filterPoints(filter: Filter | undefined) {
    const pointCount = [...this.points.values()]
    if (!filter) return pointCount
    return pointCount.filter(({ payload }) =>
      filter.must.every((each) => matchesCondition(payload, each)),
    )
  }
}

const makeCosineScorer =
  (_: string, query: readonly number[]) => (own: readonly number[] | Sparse) => {
    const vector = own as readonly number[]
    const product = vector.reduce((sum, value, at) => sum + value * query[at]!, 0)
    return product / (Math.hypot(...vector) * Math.hypot(...query) || 1)
  }

/** Values of a payload key; a list yields its elements. */
function valuesAt(payload: unknown, key: string): unknown[] {
  const value = key
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | null)?.[name], payload)
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

function matchesCondition(payload: unknown, condition: Condition): boolean {
  if ('should' in condition) return condition.should.some((each) => matchesCondition(payload, each))
  if ('is_empty' in condition) return valuesAt(payload, condition.is_empty.key).length === 0
  const values = valuesAt(payload, condition.key)
  if ('range' in condition) {
    const { lte = Number.POSITIVE_INFINITY, gt = Number.NEGATIVE_INFINITY } = condition.range
    return values.some((value) => typeof value === 'number' && value <= lte && value > gt)
  }
  const accepted: readonly unknown[] =
    'any' in condition.match ? condition.match.any : [condition.match.value]
  return values.some((value) => accepted.includes(value))
}
