import { request } from '../support/load.ts'
import { makeRandom } from '../support/random.ts'
import { content } from './corpus.ts'

export const facts = '/api/v1/internal/memory/facts'
export const tenant = 'bench'
export const key = 'a-key-for-the-bench-only'
export const headers = { 'x-internal-api-key': key, 'x-organization-id': tenant }

const random = makeRandom(41)
const users = 20

/** What is told of the n-th key; something else every time. */
export const fact = (n: number) => ({
  user_id: `user-${n % users}`,
  scope: 'case',
  case_id: `case-${n % users}`,
  entity_key: `bench.fact.${n}`,
  category: 'case_detail',
  content: content(random),
  value: { amount: random.below(1_000_000), currency: 'CNY' },
  confidence: 0.9,
  source: 'assistant',
  metadata: { session: `s-${random.below(1_000)}` },
})

let told = 1_000_000

/** Half of them of a new key, half of one of the first `known`. */
export const upsert = (known: number) =>
  request('POST', facts, headers, fact(random.chance(0.5) ? told++ : random.below(known)))

export const read = (ids: string[]) => request('GET', `${facts}/${random.any(ids)}`, headers)
