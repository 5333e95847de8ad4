import { amountsIn } from '../_shared/amounts.ts'
import type { Language } from '../_shared/language.ts'
import { wordMoney } from '../_shared/word-fact.ts'
import { type Contradiction, chosenValue, isOpen } from './contradictions.ts'
import { type Fields, isFieldKey } from './fields.ts'
import type { FoundBy } from './products.ts'

/** What the intake knows: fields, answers to questions of the cause, and where each comes from. */
interface IntakeFacts {
  fields: Fields
  details: Record<string, unknown>
  foundBy: Record<string, FoundBy>
  quotes: Record<string, string>
}

/**
 * Enters what the person chose, and leaves open what the sources contradict: until the choice neither value is
 * known to any skill.
 */
export function enterContradictions(
  known: IntakeFacts,
  contradictions: Contradiction[],
  answered: Contradiction[],
  language: Language,
) {
  const set = (key: string, value: number | string | null, quote: string | null) => {
    if (isFieldKey(key)) Object.assign(known.fields, { [key]: value })
    else known.details[key] = value
    known.foundBy[key] = 'answer'
    if (quote) known.quotes[key] = quote
    else delete known.quotes[key]
  }
  for (const each of contradictions) {
    if (!isOpen(each) && !answered.includes(each)) continue
    const value = chosenValue(each)
    const quote = each.choice === 'file' ? each.file.quote : each.stated.quote
    for (const key of [each.key, ...each.also]) set(key, value, value === null ? null : quote)
    if (each.choice !== 'file' || !known.fields.what_happened) continue
    known.fields.what_happened = correctStory(known.fields.what_happened, each, language)
    known.foundBy.what_happened = 'answer'
  }
}

/** The story with the sum that the person chose in place of the one that was wrong. */
function correctStory(story: string, { stated, file }: Contradiction, language: Language): string {
  const wrong = amountsIn(stated.quote ?? '').find(({ amount }) => amount === stated.value)?.text
  if (!wrong || typeof file.value !== 'number') return story
  const clause = stated.quote!.replace(wrong, wordMoney(file.value, language))
  return story.replace(stated.quote!, clause)
}
