import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { post } from '../deps.ts'
import { articleKey, lawKey } from '../law/numerals.ts'
import { LayWord } from '../search/lay-words.ts'
import { wordsIn } from '../search/terms.ts'
import { bodyLimit } from '../upsert.ts'
import { reconcile } from './reconcile.ts'
import { Counts, kept, Source, trial } from './records.ts'

const Import = z.object({
  lay_words: z.array(LayWord).max(100_000),
  ...trial,
  source: Source.optional(),
})

export const layWords = [
  post(
    '/api/v1/internal/seed/lay-words/import',
    {
      summary: 'Import what statutes say for the words of a question',
      description:
        'A search for one of the words finds what the table has for it too, unless KNOWLEDGE_LAY_WORDS is off. What the same source.package_id no longer holds is removed; without a source nothing.',
      body: Import,
      bodyLimit,
      example: {
        lay_words: [{ word: '老板', words: { 用人单位: 0.4 }, laws: { 劳动合同法: 0.2 } }],
        dry_run: true,
      },
      responses: { 200: Counts },
    },
    async (c, { body: { lay_words, dry_run, digest, source } }) => {
      const partsOf = once(targetsOf)
      const records = lay_words.map((each) => kept.layWord(asLookedUp(each, partsOf)))
      const counts = await c.env.sql.transaction(async (sql) => {
        const options = { source, dryRun: dry_run, digest }
        const counts = await reconcile(sql, ['lay_word'], records, options)
        if (!dry_run && counts.created + counts.updated + counts.deleted > 0) {
          await sql`
            update knowledge.lay_words set version = version + 1,
              words = words + ${counts.created - counts.deleted}`
        }
        return counts
      })
      return ok(c, counts)
    },
  ),
]

/** Laws by name, and words one by one, as they are looked up. */
const asLookedUp = (
  { word, words, laws, articles }: LayWord,
  partsOf: (target: string) => string[],
): LayWord => ({
  word,
  words: renamed(words, partsOf),
  laws: renamed(laws, (law) => [lawKey(law)]),
  articles: Object.fromEntries(
    Object.entries(articles).map(([law, own]) => [
      lawKey(law),
      renamed(own, (article) => [articleKey(article) ?? article]),
    ]),
  ),
})

function targetsOf(target: string): string[] {
  const parts = wordsIn(target)
  return parts.length > 0 ? parts : [target]
}

/** Many words of questions lead to the same words of statutes. */
function once<Result>(find: (name: string) => Result) {
  const found = new Map<string, Result>()
  return (name: string) => {
    const known = found.get(name) ?? find(name)
    found.set(name, known)
    return known
  }
}

/** Of two that have the same name the weightier stays. */
function renamed(weights: Record<string, number>, namesOf: (name: string) => string[]) {
  const found = new Map<string, number>()
  for (const [name, weight] of Object.entries(weights)) {
    for (const each of namesOf(name)) found.set(each, Math.max(weight, found.get(each) ?? weight))
  }
  return Object.fromEntries(found)
}
