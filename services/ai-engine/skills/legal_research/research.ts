import * as z from 'zod'
import type { SkillContext } from '../../skill.ts'
import type { CaseFile } from '../_shared/case-file.ts'
import { Citation, citationKey, verifyAll } from '../_shared/citations.ts'
import { bestSentence } from '../_shared/quotes.ts'

export const FoundCitation = Citation.extend({ element_ids: z.array(z.string()) })
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
export async function researchCase(caseFile: CaseFile, tools: Tools, as_of: string) {
  const cited = collectCitations(caseFile)
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

/** Articles that the elements of the case rest on, each once with all its elements. */
function collectCitations({ elements }: CaseFile): FoundCitation[] {
  const found = new Map<string, FoundCitation>()
  for (const { element_id, legal_basis } of elements)
    for (const citation of legal_basis) {
      const known = found.get(citationKey(citation))
      if (known) known.element_ids = [...new Set([...known.element_ids, element_id])]
      else found.set(citationKey(citation), { ...citation, element_ids: [element_id] })
    }
  return [...found.values()]
}

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
