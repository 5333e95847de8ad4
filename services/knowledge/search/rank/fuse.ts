import type { Candidate } from '../fetch/candidate.ts'
import type { Hit } from '../response.ts'
import { byScore } from './scored-chunk.ts'

type MatchSource = Hit['matched_by'][number]

export type MatchedCandidate = Candidate & { matched_by: MatchSource[] }

/** Rank constant of reciprocal rank fusion: the larger, the less the first ranks of one list dominate. */
const k = 2

export const markMatchedBy = (
  source: MatchSource,
  candidates: readonly Candidate[],
): MatchedCandidate[] => candidates.map((each) => ({ ...each, matched_by: [source] }))

/** Returns a single list unchanged and fuses two. */
export const fuseLists = (
  byKeyword: MatchedCandidate[] | undefined,
  byVector: MatchedCandidate[] | undefined,
) => (byKeyword && byVector ? fuse([byKeyword, byVector]) : (byKeyword ?? byVector ?? []))

/** Fuses lists by reciprocal rank. Each chunk occurs once in the result. */
export function fuse(lists: readonly (readonly MatchedCandidate[])[]): MatchedCandidate[] {
  const fused = new Map<string, MatchedCandidate>()
  for (const list of lists) {
    list.forEach((each, rank) => {
      const key = `${each.base} ${each.seq}`
      const existing = fused.get(key)
      const score = (existing?.score ?? 0) + 1 / (k + rank + 1)
      const matched_by = [...(existing?.matched_by ?? []), ...each.matched_by]
      fused.set(key, { ...each, score, matched_by })
    })
  }
  return [...fused.values()].sort(byScore)
}
