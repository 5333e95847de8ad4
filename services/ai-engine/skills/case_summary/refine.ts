import * as z from 'zod'
import { fenceData, fencedJson } from '../../model/fence.ts'
import type { Model } from '../../model/model.ts'
import { datesIn } from '../_shared/dates.ts'
import type { Language } from '../_shared/language.ts'
import { type Summary, sortTimeline } from './summary.ts'

const Lines = z.array(z.string().min(1).max(1_000)).max(50)

const ModelSummary = z.object({
  overview: z.string().min(1).max(4_000),
  events: z.array(z.object({ date: z.string(), event: z.string().min(1).max(1_000) })).max(50),
  claims: Lines,
  evidence: Lines,
  open_questions: Lines,
})

/**
 * Rewords the summary by a model. Amounts stay those of the rules; dates that do not occur in the
 * material are dropped.
 */
export async function refine(
  summary: Summary,
  texts: string[],
  language: Language,
  today: string,
  model: Model,
  system: string,
): Promise<Summary | undefined> {
  const refined = await model.object(ModelSummary, {
    name: 'case_summary',
    system: `${system}\n\nWrite in ${language === 'zh' ? 'Chinese' : 'English'}.`,
    prompt: `Today is ${today}. Summarize this matter.\n${fencedJson('collected', summary)}\n${fenceData('messages', texts.join('\n---\n').slice(0, 20_000))}`,
  })
  if (!refined) return undefined
  const knownDates = new Set([
    ...summary.timeline.map(({ date }) => date),
    ...texts.flatMap((text) => datesIn(text, today).map(({ date }) => date)),
  ])
  const confirmedDates = new Set(
    summary.timeline.filter(({ confirmed }) => confirmed).map(({ date }) => date),
  )
  const events = refined.events
    .filter(({ date }) => knownDates.has(date))
    .map((event) => ({ ...event, confirmed: confirmedDates.has(event.date) }))
  const reworded = new Set(events.map(({ date }) => date))
  return {
    ...summary,
    overview: refined.overview,
    timeline: sortTimeline([
      ...summary.timeline.filter(({ date }) => !reworded.has(date)),
      ...events,
    ]),
    claims: refined.claims.length > 0 ? refined.claims : summary.claims,
    evidence: refined.evidence.length > 0 ? refined.evidence : summary.evidence,
    open_questions: [...new Set([...summary.open_questions, ...refined.open_questions])],
  }
}
