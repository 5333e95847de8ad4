import type { AnalysisKind, Effect } from '../store/effect.ts'

/** The analysis that the skills of a thread are writing. */
export interface OpenAnalysis {
  thread_id: string
  allocation_key: string
  /** Kinds that were submitted. */
  kinds: AnalysisKind[]
}

/** A part of an analysis that a skill returned, with the run that made it. */
export interface AnalysisPart {
  thread_id: string
  run_id: string
  kind: AnalysisKind
  items?: unknown[] | undefined
  result?: Record<string, unknown> | undefined
}

/**
 * Adds a part to the analysis. A kind that was submitted before starts a new one, and so does the first
 * part on a branch: the parts of a version are those of one pass over the case.
 */
export function addToAnalysis(
  open: OpenAnalysis | undefined,
  { thread_id, run_id, ...part }: AnalysisPart,
): { open: OpenAnalysis; effect: Effect } {
  const continues = open?.thread_id === thread_id && !open.kinds.includes(part.kind)
  const allocation_key = continues ? open.allocation_key : `analysis:${run_id}:${part.kind}`
  const kinds = continues ? [...open.kinds, part.kind] : [part.kind]
  return {
    open: { thread_id, allocation_key, kinds },
    effect: { kind: 'analysis', body: { allocation_key, ...part } },
  }
}
