import { encodeRequest } from '../support/load.ts'
import { makeRandom } from '../support/random.ts'
import { generateContent } from './corpus.ts'

export const factsPath = '/api/v1/internal/memory/facts'
export const tenant = 'bench'
export const key = 'a-key-for-the-bench-only'
export const headers = { 'x-internal-api-key': key, 'x-organization-id': tenant }

const random = makeRandom(41)
const users = 20

/** Generates new content for the n-th key. */
export const makeFact = (n: number) => ({
  user_id: `user-${n % users}`,
  scope: 'case',
  case_id: `case-${n % users}`,
  entity_key: `bench.fact.${n}`,
  category: 'case_detail',
  content: generateContent(random),
  value: { amount: random.integerBelow(1_000_000), currency: 'CNY' },
  confidence: 0.9,
  source: 'assistant',
  metadata: { session: `s-${random.integerBelow(1_000)}` },
})

let nextNewKey = 1_000_000

/** Upsert request: half of them create a fact, half change one of the first `existingCount`. */
export const upsertRequest = (existingCount: number) =>
  encodeRequest(
    'POST',
    factsPath,
    headers,
    makeFact(random.chance(0.5) ? nextNewKey++ : random.integerBelow(existingCount)),
  )

export const readRequest = (ids: string[]) =>
  encodeRequest('GET', `${factsPath}/${random.pick(ids)}`, headers)
