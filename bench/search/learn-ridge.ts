/** Sparse vector: values by name. */
export type Sparse = ReadonlyMap<string, number>

/**
 * Kernel ridge regression: returns the inverse of the regularized kernel matrix of the rows. Multiplied by
 * the target values and by the kernel of a new row it gives the prediction for that row. The larger the
 * regularization of a row, the less it counts.
 */
export function ridge(rows: readonly Sparse[], lambdas: readonly number[]): Float64Array[] {
  const kernel = products(rows)
  kernel.forEach((row, index) => {
    row[index]! += lambdas[index]!
  })
  return inverse(kernel)
}

/** The inverse matrix of `ridge` without some rows, which are 0 in the result. */
export function withoutRows(
  inverted: readonly Float64Array[],
  excluded: readonly number[],
): Float64Array[] {
  const block = inverse(
    excluded.map((row) => Float64Array.from(excluded, (column) => inverted[row]![column]!)),
  )
  const result = inverted.map((row) => {
    const rest = row.slice()
    const own = Float64Array.from(excluded, (column) => row[column]!)
    for (const [nth, weights] of block.entries()) {
      const factor = dot(weights, own, 0, own.length)
      const other = inverted[excluded[nth]!]!
      for (let column = 0; column < rest.length; column++) rest[column]! -= factor * other[column]!
    }
    for (const column of excluded) rest[column] = 0
    return rest
  })
  for (const row of excluded) result[row]!.fill(0)
  return result
}

function products(rows: readonly Sparse[]): Float64Array[] {
  const having = new Map<string, [number, number][]>()
  rows.forEach((row, index) => {
    for (const [name, value] of row) {
      const all = having.get(name)
      if (all) all.push([index, value])
      else having.set(name, [[index, value]])
    }
  })
  const kernel = rows.map(() => new Float64Array(rows.length))
  for (const all of having.values()) {
    for (const [a, left] of all) for (const [b, right] of all) kernel[a]![b]! += left * right
  }
  return kernel
}

/** Inverts a symmetric positive definite matrix by Cholesky decomposition. */
export function inverse(matrix: readonly Float64Array[]): Float64Array[] {
  const size = matrix.length
  const lower = matrix.map(() => new Float64Array(size))
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      const rest = matrix[i]![j]! - dot(lower[i]!, lower[j]!, 0, j)
      lower[i]![j] = i === j ? Math.sqrt(rest) : rest / lower[j]![j]!
    }
  }
  /** Columns of the inverse of `lower`. */
  const columns = matrix.map((_, column) => {
    const solved = new Float64Array(size)
    for (let i = column; i < size; i++) {
      solved[i] = ((i === column ? 1 : 0) - dot(lower[i]!, solved, column, i)) / lower[i]![i]!
    }
    return solved
  })
  const inverted = matrix.map(() => new Float64Array(size))
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      const value = dot(columns[i]!, columns[j]!, i, size)
      inverted[i]![j] = value
      inverted[j]![i] = value
    }
  }
  return inverted
}

/** Product of two vectors from `from` up to `end`, in four sums that the processor computes side by side. */
function dot(a: Float64Array, b: Float64Array, from: number, end: number): number {
  let [first, second, third, fourth] = [0, 0, 0, 0]
  let at = from
  for (; at + 3 < end; at += 4) {
    first += a[at]! * b[at]!
    second += a[at + 1]! * b[at + 1]!
    third += a[at + 2]! * b[at + 2]!
    fourth += a[at + 3]! * b[at + 3]!
  }
  for (; at < end; at++) first += a[at]! * b[at]!
  return first + second + third + fourth
}
