import * as z from 'zod'
import type { SkillContext } from '../../skill.ts'
import type { CaseFile } from './case-file.ts'

type Tools = SkillContext<unknown>['tools']

export const Citation = z.object({
  law: z.string(),
  article: z.string(),
  quote: z.string().nullish(),
})
export type Citation = z.output<typeof Citation>

export const citationKey = ({ law, article }: Citation) => `《${law}》${article}`

const title = '《((?:[^《》\\n]|《[^《》\\n]{1,60}》){2,120})》'
const series = '([(（][一二三四五六七八九十]{1,3}[)）])?'
const article = '第[〇零一二三四五六七八九十百千\\d]{1,10}条(?:之[一二三四五六七八九十\\d]{1,3})?'

/**
 * Source of a pattern for 《law》第N条 and further articles of that law. The title may hold another one, and
 * the number of an interpretation may stand after it. Groups: title, number, articles.
 */
export const citationSource = `${title}${series}(?:[(（][^()（）\\n]{0,40}[)）])?(${article}(?:[、，和及与至]${article})*)`

const citations = new RegExp(citationSource, 'gu')
const articles = new RegExp(article, 'gu')

/** Citations that a text writes as 《law》第N条. */
export const writtenCitations = (text: string): Citation[] =>
  [...text.matchAll(citations)].flatMap(([, name, number = '', list]) =>
    list!.match(articles)!.map((each) => ({ law: name! + number, article: each })),
  )

/** First day of the Civil Code. Facts that ended before it are judged by the law of their time. */
export const civilCodeFrom = '2021-01-01'

/** Causes about a relation that lasts: the day that the intake asks for is its beginning. */
const lastingRelations = new Set([
  'divorce',
  'labor_dispute',
  'lease_contract',
  'neighbor_relations',
  'partnership',
  'property_service',
])

/**
 * Day whose law governs the case: today, or the last day of the facts if all of them lie before the Civil
 * Code. Interpretations apply to all open cases.
 */
export function lawDate({ facts, cause }: CaseFile, today: string): string {
  if (cause && lastingRelations.has(cause.code)) return today
  const days = facts.flatMap(({ value }) => z.iso.date().safeParse(value).data ?? [])
  const last = days
    .filter((day) => day <= today)
    .sort()
    .at(-1)
  return last !== undefined && last < civilCodeFrom ? last : today
}

const Verified = z.object({
  citations: z.array(
    z.object({
      law: z.string(),
      article: z.string(),
      found: z.boolean(),
      in_force: z.boolean(),
      quote_matches: z.boolean().nullish(),
      document_id: z.string().nullish(),
    }),
  ),
})

/** Why a citation cannot be used; null if it can. */
export type CitationFault = 'not_found' | 'not_in_force' | 'quote_differs' | 'not_verified' | null

const maxPerCall = 200

/** Verifies citations as of a day, in their order. Without knowledge-service none is verified. */
export async function verifyAll(
  tools: Tools,
  citations: Citation[],
  as_of: string,
): Promise<CitationFault[]> {
  const faults: CitationFault[] = []
  for (let from = 0; from < citations.length; from += maxPerCall) {
    const part = citations.slice(from, from + maxPerCall)
    const answer = await tools.verify_citations?.({
      citations: part.map(({ law, article, quote }) => ({ law, article, ...(quote && { quote }) })),
      as_of,
    })
    const verified = Verified.safeParse(answer).data?.citations ?? []
    for (const index of part.keys()) faults.push(findFault(verified[index]))
  }
  return faults
}

function findFault(result: z.output<typeof Verified>['citations'][number] | undefined) {
  if (!result) return 'not_verified'
  if (!result.found) return 'not_found'
  if (!result.in_force) return 'not_in_force'
  return result.quote_matches === false ? 'quote_differs' : null
}
