import * as z from 'zod'
import { part, type Sql, texts } from '../_kit/sql/sql.ts'
import { type Counted, has, type Statistics, statisticsOf } from './bm25.ts'
import { looksFor, rareOf } from './looks.ts'
import { makeReader, sizes, termsOf } from './terms.ts'

/** Fewer facts than this are all looked at; of more, this many are drawn by lot. */
const sampleSize = 1_024
/** Facts that are fetched for one rare word, and for common words together. */
const mostPerWord = 800
const mostPerLook = 300

type Part = ReturnType<typeof part>

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
  const alone = rare.map((place) => sizes.flatMap((size) => terms(size, [place])))
  const together = looksFor(sample, statistics, scale, rare).map(({ size, places }) =>
    terms(size, places),
  )

  const found = new Map(sample.map((fact) => [fact.id, fact]))
  for (const row of await lookUp(sql, asked, alone, together)) {
    if (!found.has(row.id)) found.set(row.id, counted(row))
  }
  const facts = [...found.values()]
  return { facts, statistics: scaled(statistics, scale, rare, facts) }
}

/** The first by lot, which is chance; the same ones every time. */
const draw = (sql: Sql, { tenant, user, filter }: Asked) =>
  sql.rows(Drawn)`
    select id, tally, lot from memory.facts
    where tenant_id = ${tenant} and user_id = ${user} and superseded_by is null ${filter}
    order by lot limit ${sampleSize}`

function lookUp(sql: Sql, asked: Asked, alone: number[][], together: number[][]) {
  const { tenant, user, filter } = asked
  // `is true` around a condition keeps the planner from choosing an index by it.
  const having = (looks: number[][], condition: Part, most: number) => part`
    select fact.id, fact.tally
    from unnest(${texts(looks.map((terms) => `{${terms}}`))}) look (terms), lateral (
      select id, tally from memory.facts
      where terms ${condition} look.terms::int4[] and superseded_by is null
        and (tenant_id = ${tenant} and user_id = ${user}) is true ${filter}
      limit ${most}) fact`
  return sql.rows(Tallied)`
    ${having(alone, part`&&`, mostPerWord)} union all ${having(together, part`@>`, mostPerLook)}`
}

/** How common a word is: a rare one by the facts found, which are all, any other by the sample. */
function scaled(statistics: Statistics, scale: number, rare: number[], found: Candidate[]) {
  const having = statistics.having.map((facts, place) =>
    rare.includes(place) ? found.filter((fact) => has(fact, place)).length : facts * scale,
  )
  return { ...statistics, facts: statistics.facts * scale, having }
}
