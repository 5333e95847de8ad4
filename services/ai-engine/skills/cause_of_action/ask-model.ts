import * as z from 'zod'
import { fenceData } from '../../model/fence.ts'
import type { Model } from '../../model/model.ts'
import type { Language } from '../_shared/language.ts'
import { occursIn } from '../_shared/quotes.ts'
import type { Recognition } from '../intake_collection/cause.ts'
import type { Candidate } from './candidates.ts'

/**
 * Ranks the causes by a model. A candidate counts only with a passage that occurs in the text. Where the
 * rules found the same cause, the score is the mean of both. Undefined if the model gives no valid reply.
 */
export async function rankByModel(
  { causes }: Recognition,
  byRules: Candidate[],
  text: string,
  language: Language,
  model: Model,
  system: string,
): Promise<Candidate[] | undefined> {
  const codes = causes.map(({ code }) => code)
  if (codes.length === 0) return undefined
  const Ranking = z.object({
    candidates: z
      .array(
        z.object({
          code: z.enum(codes as [string, ...string[]]),
          score: z.number().min(0).max(1),
          why: z.string().max(500),
          quotes: z.array(z.string()).max(10),
        }),
      )
      .max(5),
  })
  const list = causes.map(({ code, name }) => `${code}: ${name}`).join('\n')
  const reply = await model.object(Ranking, {
    name: 'cause_of_action',
    system: `${system}\n\nCodes:\n${list}`,
    prompt: `Which causes of action is this story about?\n${fenceData('story', text.slice(0, 20_000))}`,
  })
  if (!reply) return undefined
  const ranked = reply.candidates.flatMap(({ code, score, why, quotes }) => {
    const reasons = quotes
      .filter((quote) => occursIn(quote, text))
      .map((quote) => ({ quote: quote.trim(), why }))
    if (reasons.length === 0) return []
    const cause = causes.find((each) => each.code === code)!
    const rules = byRules.find((each) => each.code === code)
    const mean = rules ? (score + rules.score) / 2 : score / 2
    const name = (language === 'en' ? cause.name_en : undefined) ?? cause.name
    return [{ code, name, score: Math.round(mean * 100) / 100, reasons }]
  })
  const others = byRules
    .filter(({ code }) => !ranked.some((each) => each.code === code))
    .map((each) => ({ ...each, score: Math.round(each.score * 50) / 100 }))
  return [...ranked, ...others].sort((a, b) => b.score - a.score)
}
