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

/** First day of the Civil Code. Facts that ended before it are judged by the law of their time. */
const civilCodeFrom = '2021-01-01'

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
