import * as z from 'zod'
import { fenceData, fencedJson } from '../../model/fence.ts'
import type { Model } from '../../model/model.ts'
import type { CaseFile } from '../_shared/case-file.ts'
import { occursIn } from '../_shared/quotes.ts'
import type { EvidenceItem } from '../evidence_analysis/analyze.ts'
import { type ElementStatus, type Status, statuses } from './assess.ts'

const Assessment = z.object({
  elements: z
    .array(
      z.object({
        element_id: z.string(),
        status: z.enum(statuses),
        quote: z.string().nullable().catch(null),
        gap: z.string().max(1_000),
      }),
    )
    .max(100),
})

/**
 * Lets a model review the assessment. It may lower a status. It may raise `missing` to `weak` with a
 * passage that occurs in the material; only documents that the rules accept prove an element.
 */
export async function reviewByModel(
  byRules: ElementStatus[],
  items: EvidenceItem[],
  { texts, language }: CaseFile,
  model: Model,
  system: string,
): Promise<ElementStatus[] | undefined> {
  const material = [...texts, ...items.flatMap(({ quotes }) => quotes.map(({ text }) => text))]
  const reply = await model.object(Assessment, {
    name: 'sufficiency',
    system: `${system}\n\nWrite in ${language === 'zh' ? 'Chinese' : 'English'}.`,
    prompt: `Review this assessment.\n${fencedJson('assessment', byRules)}\n${fencedJson('evidence', items)}\n${fenceData('messages', texts.join('\n---\n').slice(0, 10_000))}`,
  })
  if (!reply) return undefined
  const source = material.join('\n')
  return byRules.map((element) => {
    const review = reply.elements.find((each) => each.element_id === element.element_id)
    if (!review) return element
    const status = reviewedStatus(element.status, review.status, () =>
      occursIn(review.quote ?? '', source),
    )
    const gap = status === 'proven' ? '' : review.gap.trim() || element.gap
    return { ...element, status, gap }
  })
}

function reviewedStatus(before: Status, after: Status, isQuoted: () => boolean): Status {
  if (statuses.indexOf(after) >= statuses.indexOf(before)) {
    // Evidence that exists is weak at worst.
    return before === 'missing' ? 'missing' : after === 'missing' ? 'weak' : after
  }
  return before === 'missing' && isQuoted() ? 'weak' : before
}
