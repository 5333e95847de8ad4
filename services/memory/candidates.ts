import * as z from 'zod'
import { fragment, type Sql, textArray } from '../_kit/sql/sql.ts'
import { type Counted, has, type Statistics, statisticsOf } from './bm25.ts'
import { looksFor, rareOf } from './looks.ts'
import { makeReader, sizes, termsOf } from './terms.ts'

/** Fewer facts than this are all looked at; of more, this many are drawn by lot. */
const sampleSize = 1_024
/** Facts that are fetched for one rare word, and for all of them, the rarest first. */
const alone = { condition: fragment`&&`, each: 800, all: 2_000 }
/** Facts that are fetched for common words together, and for all such sets of words. */
const together = { condition: fragment`@>`, each: 300, all: 2_000 }

type Part = ReturnType<typeof fragment>

export interface Asked {
  tenant: string
  user: string
  /** Further conditions on the facts in question. */
  filter: Part
}

export interface Candidate extends Counted {
  id: string
}

const Tallied = z.object({ id: z.string(), tally: z.string() })
const Drawn = Tallied.extend({ lot: z.number() })

/**
 * The facts worth scoring for some words, and what the ranking must know of all the others. Few facts
 * are simply all of them. Of many, a sample tells how common each word is and which words go together;
 * then the index is asked for facts that may rank above those of the sample. So the work follows the
 * question and not the store.
 */
export async function candidates(
  sql: Sql,
  asked: Asked,
  words: string[],
): Promise<{ facts: Candidate[]; statistics: Statistics }> {
  const read = makeReader(words)
  const counted = ({ id, tally }: z.infer<typeof Tallied>) => ({ id, ...read(tally) })
  const drawn = await draw(sql, asked)
  const sample = drawn.map(counted)
  const statistics = statisticsOf(sample, words.length)
  if (sample.length < sampleSize) return { facts: sample, statistics }

  // Lots lie evenly between 0 and 1: how far those of the sample reach tells how many there are.
  const scale = 1 / drawn.at(-1)!.lot
  const terms = (size: number, places: number[]) =>
    termsOf(
      asked.tenant,
      asked.user,
      size,
      places.map((place) => words[place]!),
    )
  const rare = rareOf(statistics, scale)
  const sets = looksFor(sample, statistics, scale, rare)
  const [ofRare, ofSets] = await Promise.all([
    lookUp(
      sql,
      asked,
      alone,
      rare.map((place) => sizes.flatMap((size) => terms(size, [place]))),
    ),
    lookUp(
      sql,
      asked,
      together,
      sets.map(({ size, places }) => terms(size, places)),
    ),
  ])
  const found = new Map(sample.map((fact) => [fact.id, fact]))
  for (const row of [...ofRare, ...ofSets]) {
    if (!found.has(row.id)) found.set(row.id, counted(row))
  }
  const facts = [...found.values()]

  // Of a rare word every fact was found, unless there were too many.
  const having = statistics.having.map((drawn, place) => {
    if (!rare.includes(place)) return drawn * scale
    const known = facts.filter((fact) => has(fact, place)).length
    return ofRare.length < alone.all ? known : Math.max(known, drawn * scale)
  })
  return { facts, statistics: { ...statistics, facts: sampleSize * scale, having } }
}

/** The first by lot, which is chance; the same ones every time. */
const draw = (sql: Sql, { tenant, user, filter }: Asked) =>
  sql.rows(Drawn)`
    select id, tally, lot from memory.facts
    where tenant_id = ${tenant} and user_id = ${user} and superseded_by is null ${filter}
    order by lot limit ${sampleSize}`

/** `is true` around a condition keeps the planner from choosing an index by it. */
const lookUp = (
  sql: Sql,
  asked: Asked,
  { condition, each, all }: typeof alone,
  looks: number[][],
) =>
  sql.rows(Tallied)`
    select fact.id, fact.tally
    from unnest(${textArray(looks.map((terms) => `{${terms}}`))}) look (terms), lateral (
      select id, tally from memory.facts
      where terms ${condition} look.terms::int4[] and superseded_by is null
        and (tenant_id = ${asked.tenant} and user_id = ${asked.user}) is true ${asked.filter}
      limit ${each}) fact
    limit ${all}`
