import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../tests/support/databases.ts'
import { newId } from '../_kit/ids.ts'
import { silent } from '../_kit/log.ts'
import { makeMetrics } from '../_kit/metrics.ts'
import { makeSql, textArray } from '../_kit/sql/sql.ts'
import { queryTokens, tokenize } from '../_kit/tokenize.ts'
import memory from './service.ts'
import { indexFact } from './terms.ts'

type StoredFact = {
  id: string
  tenant: string
  user: string
  key: string
  content: string
  category: string
  gone: boolean
}

const key = 'a-key-for-tests-only'
let database: Database
let fetch: ReturnType<typeof memory.start>['fetch']

beforeAll(async () => {
  database = await newDatabase('postgres')
  fetch = memory.start({
    env: { ENVIRONMENT: 'test', INTERNAL_API_KEY: key },
    database: database.driver,
    peers: () => () => Promise.reject(new Error('nobody else is here')),
    log: silent,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  }).fetch
})
afterAll(() => database.drop())

const fact = (tenant: string, user: string, content: string, n: number): StoredFact => ({
  id: newId(),
  tenant,
  user,
  key: `fact.${n}`,
  content,
  category: n % 5 === 0 ? 'evidence' : 'summary',
  gone: n % 7 === 0,
})

/** Inserts facts directly into the database in batches of 1,000. */
async function store(facts: StoredFact[]) {
  const sql = makeSql(database.driver)
  for (let from = 0; from < facts.length; from += 1_000) {
    const some = facts.slice(from, from + 1_000)
    const indexed = some.map((each) => indexFact(each.tenant, each.user, each.key, each.content))
    await sql`
      insert into memory.facts (id, tenant_id, user_id, scope, entity_key, category, content,
        confidence, source, metadata, superseded_by, terms, term_counts)
      select id::uuid, tenant, user_id, 'global', key, category, content, 1, 'import', '{}',
        nullif(superseded, '')::uuid, terms::int4[], term_counts
      from unnest(${textArray(some.map(({ id }) => id))}, ${textArray(some.map(({ tenant }) => tenant))},
        ${textArray(some.map(({ user }) => user))}, ${textArray(some.map(({ key }) => key))},
        ${textArray(some.map(({ category }) => category))},
        ${textArray(some.map(({ content }) => content))},
        ${textArray(some.map(({ id, gone }) => (gone ? id : '')))},
        ${textArray(indexed.map(({ terms }) => `{${terms}}`))},
        ${textArray(indexed.map(({ termCounts }) => termCounts))})
        told (id, tenant, user_id, key, category, content, superseded, terms, term_counts)`
  }
}

async function recall(tenant: string, body: object) {
  const response = await fetch(
    new Request('http://test/api/v1/internal/memory/recall', {
      method: 'POST',
      headers: {
        'x-internal-api-key': key,
        'x-organization-id': tenant,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ user_id: 'u', ...body }),
    }),
  )
  expect(response.status).toBe(200)
  const { data } = (await response.json()) as { data: { facts: { id: string; score: number }[] } }
  return data.facts
}

const tokenCache = new WeakMap<StoredFact, string[]>()
function tokenizeCached(fact: StoredFact): string[] {
  const all = tokenCache.get(fact) ?? tokenize(`${fact.key} ${fact.content}`)
  tokenCache.set(fact, all)
  return all
}

/** Reference BM25 over all facts: the score of each fact with a query term. */
function bm25(facts: StoredFact[], query: string): Map<string, number> {
  const queryText = queryTokens(query)
  const texts = facts.map(tokenizeCached)
  const average = texts.reduce((sum, text) => sum + text.length, 0) / texts.length
  const scores = new Map<string, number>()
  for (const word of queryText) {
    const counts = texts.map((text) => text.filter((each) => each === word).length)
    const having = counts.filter((count) => count > 0).length
    const rarity = Math.log(1 + (facts.length - having + 0.5) / (having + 0.5))
    counts.forEach((count, n) => {
      if (count === 0) return
      const norm = 1.2 * (1 - 0.75 + (0.75 * texts[n]!.length) / average)
      const { id } = facts[n]!
      scores.set(id, (scores.get(id) ?? 0) + (rarity * count * 2.2) / (count + norm))
    })
  }
  return scores
}

const best = (scores: Map<string, number>, limit: number) =>
  [...scores.values()].sort((a, b) => b - a).slice(0, limit)

const visibleFacts = (facts: StoredFact[], tenant: string) =>
  facts.filter((each) => each.tenant === tenant && each.user === 'u' && !each.gone)

const vocabulary = '合同 借款 违约金 利息 contract payment tenants 第675条 100,000 原告 被告'.split(
  ' ',
)

describe('small collections', () => {
  test('recall ranks all facts by BM25', async () => {
    let runs = 0
    const text = fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 12 })
    const whose = fc.record({
      tenant: fc.constantFrom('a', 'a', 'b'),
      user: fc.constantFrom('u', 'u', 'v'),
      text,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(whose, { maxLength: 40 }), text, async (inputs, queryText) => {
        const run = `run-${runs++}-`
        const facts = inputs.map(({ tenant, user, text }, n) =>
          fact(run + tenant, user, text.join(' '), n),
        )
        await store(facts)
        const query = queryText.join(' ')
        const scores = bm25(visibleFacts(facts, `${run}a`), query)
        const found = await recall(`${run}a`, { query, top_k: 20 })
        for (const { id, score } of found) expect(score).toBeCloseTo(scores.get(id)!, 6)
        const ranked = best(scores, 20)
        expect(found).toHaveLength(ranked.length)
        ranked.forEach((score, place) => {
          expect(found[place]!.score).toBeCloseTo(score, 6)
        })
      }),
      { numRuns: 30 },
    )
  })
})

describe('large collections', () => {
  let facts: StoredFact[]
  let state = 1
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
  // Zipf distribution: the n-th word is n times as rare as the first.
  const characters = Array.from('合同借款违约金利息本房屋租赁工资赔偿原告被人法院证据转账')
  const common = characters.flatMap((one) => characters.map((other) => one + other))
  const word = () => common[Math.floor((common.length + 1) ** random()) - 1]!
  const sentence = (length: number) => Array.from({ length }, word).join(' ')

  beforeAll(async () => {
    facts = Array.from({ length: 20_000 }, (_, n) =>
      fact('big', 'u', sentence(3 + Math.floor(random() * 30)), n),
    )
    facts.push(fact('big', 'u', `${sentence(900)} uniquelong`, 20_001))
    facts.push(fact('big', 'u', 'uniqueshort', 20_002))
    const others = facts.slice(0, 1_500)
    facts.push(...others.map((each) => ({ ...each, id: newId(), user: 'v', gone: false })))
    facts.push(...others.map((each) => ({ ...each, id: newId(), tenant: 'other', gone: false })))
    await store(facts)
    await makeSql(database.driver).statement('analyze memory.facts')
  })

  test('recall nearly equals exact BM25 and excludes other users', async () => {
    const live = visibleFacts(facts, 'big')
    const ids = new Set(live.map(({ id }) => id))
    const shares: number[] = []
    for (let n = 0; n < 20; n++) {
      const query = sentence(2 + Math.floor(random() * 6))
      const scores = bm25(live, query)
      const ranked = best(scores, 10)
      const found = await recall('big', { query })
      expect(found).toHaveLength(ranked.length)
      for (const { id } of found) expect(ids).toContain(id)
      const right = found.filter(({ id }) => (scores.get(id) ?? 0) >= ranked.at(-1)! - 1e-9)
      shares.push(right.length / ranked.length)
    }
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeGreaterThan(0.85)
  })

  test('a term of a single fact finds that fact, long or short', async () => {
    for (const query of ['uniquelong', 'uniqueshort', `uniqueshort ${sentence(5)}`]) {
      const expected = facts.find(({ content }) => content.includes(query.split(' ')[0]!))!
      const [first] = await recall('big', { query })
      expect(first?.id).toBe(expected.id)
    }
  })

  test('filters hold in large collections', async () => {
    const allowed = new Set(
      visibleFacts(facts, 'big')
        .filter(({ category }) => category === 'evidence')
        .map(({ id }) => id),
    )
    const found = await recall('big', { query: sentence(4), categories: ['evidence'], top_k: 100 })
    expect(found).toHaveLength(100)
    for (const { id } of found) expect(allowed).toContain(id)
  })
})
