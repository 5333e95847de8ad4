import type { ScoredChunk } from '../rank/scored-chunk.ts'
import type { Hit } from '../response.ts'
import type { RescoreFields } from './rescore-fields.ts'

/** A chunk as the response shows it, with its period in force and the fields for rescoring. */
export interface CachedChunk {
  hit: Omit<Hit, 'score' | 'matched_by'>
  in_force_from: string | null
  in_force_to: string | null
  fields: RescoreFields
}

export interface Candidate extends ScoredChunk {
  chunk: CachedChunk
}
