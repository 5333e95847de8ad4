import * as z from 'zod'
import type { CauseElement } from '../../cause-tools.ts'
import type { CaseFact, CaseFile } from '../_shared/case-file.ts'
import { affirms } from '../_shared/conditions.ts'
import { elementQuestions } from '../_shared/element-questions.ts'
import type { EvidenceItem } from '../evidence_analysis/analyze.ts'
import { describeGap } from './gaps.ts'
import { claimedEvidence } from './stated-evidence.ts'

export const statuses = ['proven', 'weak', 'missing'] as const
export type Status = (typeof statuses)[number]

export const ElementStatus = z.object({
  element_id: z.string(),
  name: z.string(),
  required: z.boolean(),
  status: z.enum(statuses),
  burden: z.enum(['plaintiff', 'defendant']),
  /** Facts that the other side has to prove once the element is shown. */
  shifts: z.array(z.object({ defence: z.string(), burden: z.enum(['plaintiff', 'defendant']) })),
  /** File ids and keys of facts. */
  evidence: z.array(z.string()),
  gap: z.string(),
})
export type ElementStatus = z.output<typeof ElementStatus>

const RatedElements = z.object({ elements: z.array(ElementStatus) })

/** Reads the elements from the state of the skill; without it, rates them on the facts alone. */
export const readElements = (state: unknown, caseFile: CaseFile): ElementStatus[] =>
  RatedElements.safeParse(state).data?.elements ?? assess(caseFile, [])

/** Weaknesses that one further document makes up for. */
const mildWeaknesses = new Set(['copy', 'undated', 'truncated'])
/** Kinds of evidence that carry an element only together with another. */
const supportingKinds = new Set(['witness_statement', 'image', 'document'])

/** Assesses the elements of the case by rules. */
export function assess(caseFile: CaseFile, items: EvidenceItem[]): ElementStatus[] {
  const { elements, language } = caseFile
  return elements.map((element) => {
    const files = items.filter(({ element_ids }) => element_ids.includes(element.element_id))
    const facts = findFacts(element, caseFile)
    const status = rate(element, files, facts)
    return {
      element_id: element.element_id,
      name: language === 'en' ? (element.name_en ?? element.name) : element.name,
      required: element.required && !element.applies_when,
      status,
      burden: element.burden_of_proof,
      shifts: element.defences.flatMap(({ kind, name, name_en, burden_of_proof }) =>
        kind === 'objection' && burden_of_proof
          ? [{ defence: language === 'en' ? (name_en ?? name) : name, burden: burden_of_proof }]
          : [],
      ),
      evidence: [...files.map(({ file_id }) => file_id), ...facts.map(({ key }) => key)],
      gap: status === 'proven' ? '' : describeGap(element, caseFile, files),
    }
  })
}

/**
 * An element is proven by one sound document, or by two whose weaknesses are mild. What only the person
 * says, or only a model reads from a document, is weak.
 */
function rate({ element_id }: CauseElement, files: EvidenceItem[], facts: CaseFact[]): Status {
  const linked = files.filter((each) => !each.model_element_ids.includes(element_id))
  const isSound = ({ kind, weaknesses }: EvidenceItem) =>
    weaknesses.length === 0 && !supportingKinds.has(kind)
  const isMild = ({ weaknesses }: EvidenceItem) => weaknesses.every((w) => mildWeaknesses.has(w))
  if (linked.some(isSound) || linked.filter(isMild).length >= 2) return 'proven'
  return files.length + facts.length > 0 ? 'weak' : 'missing'
}

/** Facts that the person stated on an element. A denial, such as `none`, states nothing for it. */
function findFacts(element: CauseElement, { facts }: CaseFile): CaseFact[] {
  const keys = elementQuestions(element.questions).map(({ key }) => `intake.${key}`)
  const stated = facts.filter(({ key, value }) => keys.includes(key) && affirms(value))
  const evidence = facts.find(({ key }) => key === 'intake.evidence')
  return evidence && claimedEvidence(element, evidence.value) ? [...stated, evidence] : stated
}
