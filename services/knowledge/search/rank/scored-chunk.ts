/** A chunk, addressed by base and sequence number, with its score. */
export interface ScoredChunk {
  base: number
  seq: number
  score: number
}

/** Sorts by descending score; equal scores by base and sequence number. */
export const byScore = (a: ScoredChunk, b: ScoredChunk) =>
  b.score - a.score || a.base - b.base || a.seq - b.seq
