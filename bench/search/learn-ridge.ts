/** Sparse vector: values by name. */
export type Sparse = ReadonlyMap<string, number>

/**
 * Kernel ridge regression: returns the inverse of the regularized kernel matrix of the rows. Multiplied by
 * the target values and by the kernel of a new row it gives the prediction for that row.
 */
export function ridge(rows: readonly Sparse[], lambda: number): Float64Array[] {
  const kernel = products(rows)
  kernel.forEach((row, index) => {
    row[index]! += lambda
  })
  return inverse(kernel)
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
      const rest = matrix[i]![j]! - dot(lower[i]!, lower[j]!, j)
      lower[i]![j] = i === j ? Math.sqrt(rest) : rest / lower[j]![j]!
    }
  }
  return matrix.map((_, column) => {
    const solved = new Float64Array(size)
    for (let i = column; i < size; i++) {
      solved[i] = ((i === column ? 1 : 0) - dot(lower[i]!, solved, i)) / lower[i]![i]!
    }
    for (let i = size - 1; i >= 0; i--) {
      let rest = solved[i]!
      for (let k = i + 1; k < size; k++) rest -= lower[k]![i]! * solved[k]!
      solved[i] = rest / lower[i]![i]!
    }
    return solved
  })
}

function dot(a: Float64Array, b: Float64Array, length: number): number {
  let sum = 0
  for (let index = 0; index < length; index++) sum += a[index]! * b[index]!
  return sum
}
