import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { mapInSlices } from '../../_kit/time-slice.ts'
import { post } from '../deps.ts'
import { articleKey, shortLawKey } from '../law/numerals.ts'
import { segmentWords } from '../search/index/terms.ts'
import { LayWord } from '../search/query/lay-words.ts'
import { bodyLimit } from '../upsert.ts'
import { reconcileRecords } from './reconcile.ts'
import { Counts, dryRunFields, Source, toRecord } from './records.ts'

const Import = z.object({
  lay_words: z.array(LayWord).max(100_000),
  ...dryRunFields,
  source: Source.optional(),
})

export const layWords = [
  post(
    '/api/v1/internal/seed/lay-words/import',
    {
      summary: 'Import lay words',
      description:
        'Lay words map words of lay queries to statute words, laws and articles. KNOWLEDGE_LAY_WORDS switches them off. Removes lay words of the same source.package_id that the import no longer contains; without a source it removes nothing.',
      body: Import,
      bodyLimit,
      example: {
        lay_words: [{ word: '老板', words: { 用人单位: 0.4 }, laws: { 劳动合同法: 0.2 } }],
        dry_run: true,
      },
      responses: { 200: Counts },
    },
    async (c, { body: { lay_words, dry_run, digest, source } }) => {
      const split = memoize(splitTarget)
      const records = await mapInSlices(lay_words, (each) =>
        toRecord.layWord(normalizeKeys(each, split)),
      )
      const counts = await c.env.sql.transaction(async (sql) => {
        const options = { source, dryRun: dry_run, digest }
        const counts = await reconcileRecords(sql, ['lay_word'], records, options)
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

/** Normalizes laws, articles and words to the keys that searches use. */
const normalizeKeys = (
  { word, words, laws, articles }: LayWord,
  split: (target: string) => string[],
): LayWord => ({
  word,
  words: renameKeys(words, split),
  laws: renameKeys(laws, (law) => [shortLawKey(law)]),
  articles: Object.fromEntries(
    Object.entries(articles).map(([law, own]) => [
      shortLawKey(law),
      renameKeys(own, (article) => [articleKey(article) ?? article]),
    ]),
  ),
})

function splitTarget(target: string): string[] {
  const parts = segmentWords(target)
  return parts.length > 0 ? parts : [target]
}

function memoize<Result>(find: (name: string) => Result) {
  const found = new Map<string, Result>()
  return (name: string) => {
    const cached = found.get(name) ?? find(name)
    found.set(name, cached)
    return cached
  }
}

/** Renames keys; of two with the same new name the larger weight stays. */
function renameKeys(weights: Record<string, number>, toNames: (name: string) => string[]) {
  const found = new Map<string, number>()
  for (const [name, weight] of Object.entries(weights)) {
    for (const each of toNames(name)) found.set(each, Math.max(weight, found.get(each) ?? weight))
  }
  return Object.fromEntries(found)
}
