import * as z from 'zod'
import { fragment, type Sql, type SqlFragment, textArray } from '../_kit/sql/sql.ts'
import { computeStatistics, containsTerm, type Statistics, type TermCounts } from './bm25.ts'
import { planTermQueries, rareTerms } from './candidate-queries.ts'
import { indexTerms, lengthBuckets, makeTermCountDecoder } from './terms.ts'

/** Up to this many facts are ranked exactly; above it the facts with the lowest sample keys are the sample. */
const sampleSize = 1_024
/** Maximum number of facts fetched per rare term and for all rare terms, rarest first. */
const rareTermLimits = { condition: fragment`&&`, perQuery: 800, total: 2_000 }
/** Maximum number of facts fetched per set of frequent terms and for all sets. */
const termSetLimits = { condition: fragment`@>`, perQuery: 300, total: 2_000 }

export interface RecallScope {
  tenant: string
  user: string
  /** Additional conditions on the facts, each starting with `and`. */
  filter: SqlFragment
}

export interface Candidate extends TermCounts {
  id: string
}

const IndexedRow = z.object({ id: z.string(), term_counts: z.string() })
const SampledRow = IndexedRow.extend({ sample_key: z.number() })

/**
 * Selects the facts to score and estimates the collection statistics. A small collection is read whole.
 * In a large one the sample estimates document frequencies and term co-occurrence, and index queries add
 * facts that may rank above the sample. The cost depends on the query, not on the size of the collection.
 */
export async function findCandidates(
  sql: Sql,
  scope: RecallScope,
  words: string[],
): Promise<{ facts: Candidate[]; statistics: Statistics }> {
  const decode = makeTermCountDecoder(words)
  const countTerms = ({ id, term_counts }: z.infer<typeof IndexedRow>) => ({
    id,
    ...decode(term_counts),
  })
  const sampledRows = await readSample(sql, scope)
  const sample = sampledRows.map(countTerms)
  const statistics = computeStatistics(sample, words.length)
  if (sample.length < sampleSize) return { facts: sample, statistics }

  // Sample keys are uniform on [0, 1), so the largest key of the sample is the sampling rate.
  const scale = 1 / sampledRows.at(-1)!.sample_key
  const terms = (bucket: number, termIndexes: number[]) =>
    indexTerms(
      scope.tenant,
      scope.user,
      bucket,
      termIndexes.map((term) => words[term]!),
    )
  const rare = rareTerms(statistics, scale)
  const sets = planTermQueries(sample, statistics, scale, rare)
  const [rareMatches, setMatches] = await Promise.all([
    queryIndex(
      sql,
      scope,
      rareTermLimits,
      rare.map((term) => lengthBuckets.flatMap((bucket) => terms(bucket, [term]))),
    ),
    queryIndex(
      sql,
      scope,
      termSetLimits,
      sets.map(({ bucket, terms: termIndexes }) => terms(bucket, termIndexes)),
    ),
  ])
  const found = new Map(sample.map((fact) => [fact.id, fact]))
  for (const row of [...rareMatches, ...setMatches]) {
    if (!found.has(row.id)) found.set(row.id, countTerms(row))
  }
  const facts = [...found.values()]

  // All facts with a rare term were fetched, unless the limit was reached.
  const documentFrequency = statistics.documentFrequency.map((sampled, term) => {
    if (!rare.includes(term)) return sampled * scale
    const matchCount = facts.filter((fact) => containsTerm(fact, term)).length
    return rareMatches.length < rareTermLimits.total
      ? matchCount
      : Math.max(matchCount, sampled * scale)
  })
  return { facts, statistics: { ...statistics, facts: sampleSize * scale, documentFrequency } }
}

/** Reads the facts with the lowest sample keys: a random sample that repeats. */
const readSample = (sql: Sql, { tenant, user, filter }: RecallScope) =>
  sql.rows(SampledRow)`
    select id, term_counts, sample_key from memory.facts
    where tenant_id = ${tenant} and user_id = ${user} and superseded_by is null ${filter}
    order by sample_key limit ${sampleSize}`

/** `is true` around a condition prevents the planner from using an index for it. */
const queryIndex = (
  sql: Sql,
  scope: RecallScope,
  { condition, perQuery, total }: typeof rareTermLimits,
  queries: number[][],
) =>
  sql.rows(IndexedRow)`
    select fact.id, fact.term_counts
    from unnest(${textArray(queries.map((terms) => `{${terms}}`))}) query (terms), lateral (
      select id, term_counts from memory.facts
      where terms ${condition} query.terms::int4[] and superseded_by is null
        and (tenant_id = ${scope.tenant} and user_id = ${scope.user}) is true ${scope.filter}
      limit ${perQuery}) fact
    limit ${total}`
