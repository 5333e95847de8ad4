import * as z from 'zod'
import type { SkillContext } from '../../skill.ts'
import { citationSource } from '../_shared/citations.ts'

const citationPattern = new RegExp(
  `${citationSource}|《[^《》]{1,40}(?:法|典|条例|规定|解释|办法)》|\\bArticles? \\d+ of (?:the )?[A-Z]\\w+(?: [A-Z]\\w+){0,5}`,
  'gu',
)

/** Citations of a text that do not occur in the material. */
export const unverifiedCitations = (text: string, material: string): string[] =>
  [...new Set(text.match(citationPattern) ?? [])].filter((citation) => !material.includes(citation))

const VerifyResult = z.object({
  citations: z.array(z.object({ found: z.boolean(), in_force: z.boolean() })),
})

/** Returns the citations that knowledge-service does not confirm as law in force. */
export async function unconfirmedCitations(
  tools: SkillContext<unknown>['tools'],
  citations: string[],
) {
  if (!tools.check_citations) return citations
  const checks = citations.map(async (text) => {
    const checked =
      VerifyResult.safeParse(await tools.check_citations!({ text })).data?.citations ?? []
    return checked.length > 0 && checked.every(({ found, in_force }) => found && in_force)
  })
  const confirmed = await Promise.all(checks)
  return citations.filter((_, index) => !confirmed[index])
}
