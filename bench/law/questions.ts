import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { articleId } from '../search/laws-in-force.ts'

/** A question or scene with the articles that its answer rests on. */
export interface BasisQuestion {
  query: string
  /** Keys of articles: law and number. */
  relevant: string[]
}

/** Reads the questions with their basis, or returns the reason why there are none. */
export function readBasisQuestions(): BasisQuestion[] | string {
  const file = resolve(process.env.LEGAL_SUITE_DATA ?? '../shared/data', 'questions-basis.jsonl')
  if (!existsSync(file)) return 'no questions: LEGAL_SUITE_DATA names no directory with them'
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ query, relevant }) => ({
      query,
      relevant: relevant.map(({ law, article }: any) => articleId(law, article)),
    }))
}

/** Mean share of the relevant articles among the first `k`. */
export function recallAt(
  k: number,
  questions: readonly BasisQuestion[],
  rankings: readonly string[][],
): number {
  const shares = questions.map(({ relevant }, index) => {
    const found = new Set(rankings[index]!.slice(0, k))
    return relevant.filter((id) => found.has(id)).length / relevant.length
  })
  return shares.reduce((sum, share) => sum + share, 0) / questions.length
}
