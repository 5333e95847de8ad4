/** Quantile of the values; `share` is between 0 and 1. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]!
}

export const median = (values: readonly number[]) => quantile(values, 0.5)

export const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length

export const formatCount = (value: number) => Math.round(value).toLocaleString('en-US')

export const formatMs = (value: number) =>
  `${value < 10 ? value.toFixed(1) : formatCount(value)} ms`
