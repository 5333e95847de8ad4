import * as z from 'zod'
import type { SkillContext } from '../../skill.ts'
import type { CaseFile } from '../_shared/case-file.ts'
import { Citation, citationKey, verifyAll } from '../_shared/citations.ts'
import { meetsConditions } from '../_shared/conditions.ts'
import { listRaisedDefences } from '../_shared/defences.ts'
import { bestSentence } from '../_shared/quotes.ts'

export const FoundCitation = Citation.extend({
  element_ids: z.array(z.string()),
  /** Whether a claim rests on the article. False for rules on procedure, proof or defences. */
  grounds_claim: z.boolean().default(true),
  /** Whether a defence that the person raises rests on the article. */
  grounds_defence: z.boolean().default(false),
})
export type FoundCitation = z.output<typeof FoundCitation>

export const Passage = z.object({
  document_id: z.string(),
  title: z.string(),
  law: z.string().nullable(),
  section_id: z.string().nullable(),
  quote: z.string(),
})

const Passages = z.object({
  passages: z.array(
    z.object({
      document_id: z.string(),
      title: z.string(),
      law: z.string().nullable(),
      section_id: z.string().nullable(),
      content: z.string(),
    }),
  ),
})

type Tools = SkillContext<unknown>['tools']

/** Finds the law of a case. A citation that does not verify is listed as unresolved and used nowhere. */
export async function researchCase(
  caseFile: CaseFile,
  cited: FoundCitation[],
  tools: Tools,
  as_of: string,
) {
  const faults = await verifyAll(tools, cited, as_of)
  const passages = await findPassages(caseFile, tools, as_of)
  return {
    citations: cited.filter((_, index) => faults[index] === null),
    passages,
    unresolved: cited.flatMap(({ law, article }, index) =>
      faults[index] ? [{ law, article, reason: faults[index] }] : [],
    ),
  }
}

/**
 * Articles that the elements of the case rest on, each once with all its elements. An article for some cases only
 * is left out until the answers of the person show such a case. The articles of defences that they raise follow.
 */
export function collectCitations(caseFile: CaseFile): FoundCitation[] {
  const { elements, facts } = caseFile
  const cited = [
    ...elements.flatMap(({ element_id, legal_basis }) =>
      legal_basis.map((basis) => ({ ...basis, element_id, grounds_defence: false })),
    ),
    ...listRaisedDefences(caseFile).flatMap(({ element_id, defence }) =>
      defence.legal_basis.map((basis) => ({
        ...{ ...basis, element_id },
        grounds_claim: false,
        grounds_defence: basis.grounds_claim,
      })),
    ),
  ]
  const found = new Map<string, FoundCitation>()
  for (const { element_id, only_if, law, article, quote, ...grounds } of cited) {
    if (meetsConditions(only_if, facts) !== true) continue
    const known = found.get(citationKey({ law, article }))
    // An article is cited for the elements whose claim or defence it grounds, not for those it is only a rule of.
    if (known && isGround(known) && !isGround(grounds)) continue
    const isBetter = !known || (grounds.grounds_claim && !known.grounds_claim)
    const same = known && isGround(known) === isGround(grounds) ? known.element_ids : []
    found.set(citationKey({ law, article }), {
      ...(isBetter ? { law, article, quote, ...grounds } : known),
      grounds_defence: grounds.grounds_defence || known?.grounds_defence === true,
      element_ids: [...new Set([...same, element_id])],
    })
  }
  return [...found.values()]
}

const isGround = (each: Pick<FoundCitation, 'grounds_claim' | 'grounds_defence'>) =>
  each.grounds_claim || each.grounds_defence

async function findPassages({ texts, cause }: CaseFile, tools: Tools, as_of: string) {
  const query = [cause?.name ?? '', ...texts].join('\n').trim().slice(0, 8_000)
  if (query === '') return []
  const answer = await tools.research_law?.({ query, top_k: 10, as_of })
  const hits = Passages.safeParse(answer).data?.passages ?? []
  return hits.flatMap(({ content, ...hit }) => {
    const quote = bestSentence(content, query)
    return quote === undefined ? [] : [{ ...hit, quote }]
  })
}
