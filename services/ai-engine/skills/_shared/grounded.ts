import { amountsIn } from './amounts.ts'

const figures = /\d+(?:[.,]\d+)*|《[^》]*》|第[^条\s]{1,8}条/gu

/** True if a wording names no number, amount, law or article that its source does not have. */
export function isGrounded(wording: string, source: string): boolean {
  const known = new Set([
    ...(source.match(figures) ?? []),
    ...amountsIn(source).map(({ amount }) => amount),
  ])
  const named = [
    ...(wording.match(figures) ?? []),
    ...amountsIn(wording).map(({ amount }) => amount),
  ]
  return named.every((figure) => known.has(figure))
}
