import postgres from 'postgres'
import { queryTokens } from '../../services/_kit/tokenize.ts'
import { makeBm25Scorer, statisticsOf } from '../../services/memory/bm25.ts'
import { makeTermCountDecoder } from '../../services/memory/terms.ts'
import { mean } from '../support/figures.ts'
import type { Engine, Question } from './engines.ts'
import { firstUser, type Store } from './store.ts'

/** How close the answers come to BM25 over every single fact of the first user. */
export async function quality({ url }: Store, engine: Engine, questions: Question[]) {
  const sql = postgres(url, { max: 1 })
  const facts = await sql<{ id: string; term_counts: string }[]>`
    select id, term_counts from memory.facts where user_id = ${firstUser}`
  await sql.end()

  const shared: number[] = []
  const worth: number[] = []
  for (const question of questions) {
    const scores = exactScores(facts, question.query)
    const best = [...scores.values()].sort((a, b) => b - a).slice(0, 10)
    if (best.length === 0) continue
    const found = (await engine.ask(question)).map((id) => scores.get(id) ?? 0)
    // Facts of equal score are equally good answers.
    shared.push(found.filter((score) => score >= best.at(-1)!).length / best.length)
    worth.push(sum(found) / sum(best))
  }
  return { overlap: mean(shared), score: mean(worth), questions: shared.length }
}

const sum = (scores: number[]) => scores.reduce((total, score) => total + score, 0)

function exactScores(facts: { id: string; term_counts: string }[], query: string) {
  const words = queryTokens(query)
  const read = makeTermCountDecoder(words)
  const counted = facts.map(({ term_counts }) => read(term_counts))
  const scoreOf = makeBm25Scorer(statisticsOf(counted, words.length))
  const scores = new Map<string, number>()
  counted.forEach((fact, n) => {
    const score = scoreOf(fact)
    if (score > 0) scores.set(facts[n]!.id, score)
  })
  return scores
}
