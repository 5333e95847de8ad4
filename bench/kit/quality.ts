import postgres from 'postgres'
import { queryTokens } from '../../services/_kit/tokenize.ts'
import { computeStatistics, makeBm25Scorer } from '../../services/memory/bm25.ts'
import { makeTermCountDecoder } from '../../services/memory/terms.ts'
import { mean } from '../support/figures.ts'
import { firstUser, type Store } from './store.ts'
import type { RecallQuery, Subject } from './subjects.ts'

/** Compares recall with exact BM25 over all facts of the first user. */
export async function measureQuality({ url }: Store, subject: Subject, questions: RecallQuery[]) {
  const sql = postgres(url, { max: 1 })
  const facts = await sql<{ id: string; term_counts: string }[]>`
    select id, term_counts from memory.facts where user_id = ${firstUser}`
  await sql.end()

  const overlaps: number[] = []
  const scoreRatios: number[] = []
  for (const question of questions) {
    const scores = exactScores(facts, question.query)
    const best = [...scores.values()].sort((a, b) => b - a).slice(0, 10)
    if (best.length === 0) continue
    const found = (await subject.recall(question)).map((id) => scores.get(id) ?? 0)
    // Facts of equal score are equally good results.
    overlaps.push(found.filter((score) => score >= best.at(-1)!).length / best.length)
    scoreRatios.push(sum(found) / sum(best))
  }
  return { overlap: mean(overlaps), score: mean(scoreRatios), questions: overlaps.length }
}

const sum = (scores: number[]) => scores.reduce((total, score) => total + score, 0)

function exactScores(facts: { id: string; term_counts: string }[], query: string) {
  const words = queryTokens(query)
  const read = makeTermCountDecoder(words)
  const termCounts = facts.map(({ term_counts }) => read(term_counts))
  const scoreFact = makeBm25Scorer(computeStatistics(termCounts, words.length))
  const scores = new Map<string, number>()
  termCounts.forEach((fact, n) => {
    const score = scoreFact(fact)
    if (score > 0) scores.set(facts[n]!.id, score)
  })
  return scores
}
