import type { Found } from './found.ts'
import type { Hit } from './question.ts'

type By = Hit['matched_by'][number]

export type Matched = Found & { matched_by: By[] }

/** The higher, the less the first few ranks of one list decide. */
const k = 2

export const matchedBy = (by: By, found: readonly Found[]): Matched[] =>
  found.map((each) => ({ ...each, matched_by: [by] }))

/** Lists as one by reciprocal rank: what stands high in both comes first, and each chunk once. */
export function fuse(lists: readonly (readonly Matched[])[]): Matched[] {
  const fused = new Map<string, Matched>()
  for (const list of lists) {
    list.forEach((each, rank) => {
      const place = `${each.base} ${each.seq}`
      const before = fused.get(place)
      const score = (before?.score ?? 0) + 1 / (k + rank + 1)
      fused.set(place, {
        ...each,
        score,
        matched_by: [...(before?.matched_by ?? []), ...each.matched_by],
      })
    })
  }
  return [...fused.values()].sort((a, b) => b.score - a.score || a.base - b.base || a.seq - b.seq)
}
