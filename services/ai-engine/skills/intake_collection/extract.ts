import * as z from 'zod'
import { fenceData } from '../../model/fence.ts'
import type { Model } from '../../model/model.ts'
import { amountsIn } from '../_shared/amounts.ts'
import { datesIn } from '../_shared/dates.ts'
import { causes } from './causes.ts'
import { type FieldKey, type Fields, fieldKeys, fieldSchemas, parseFields } from './fields.ts'
import { extractByRules } from './rules.ts'

/** Schema for the model, with plain types. Each member is checked by the schema of its field afterwards. */
const ModelExtraction = z.object({
  cause_of_action_code: z
    .enum(causes.map(({ code }) => code))
    .nullable()
    .catch(null),
  what_happened: z.string().nullable().catch(null),
  client_role: fieldSchemas.client_role.nullable().catch(null),
  aim: z.string().nullable().catch(null),
  amount: z.number().nullable().catch(null),
  monthly_wage: z.number().nullable().catch(null),
  event_date: z.string().nullable().catch(null),
  opposing_party: z.string().nullable().catch(null),
})

export interface Extraction {
  fields: Fields
  found_by: Partial<Record<FieldKey, 'rules' | 'model'>>
}

/** Extracts fields from texts: by a model if there is one, by rules for the rest. */
export async function extract(
  texts: string[],
  today: string,
  model: Model | null,
  system: string,
): Promise<Extraction> {
  const byRules = extractByRules(texts, today)
  const extracted = await model?.object(ModelExtraction, {
    name: 'intake',
    system,
    prompt: `Today is ${today}. Fill in what these messages of the person say; null for what they do not say.\n${fenceData('messages', texts.join('\n---\n').slice(0, 20_000))}`,
  })
  const byModel = extracted ? keepGrounded(parseFields(extracted), texts.join('\n'), today) : {}
  const result: Extraction = { fields: {}, found_by: {} }
  for (const key of fieldKeys) {
    const [value, by] =
      byModel[key] != null ? [byModel[key], 'model' as const] : [byRules[key], 'rules' as const]
    if (value == null) continue
    Object.assign(result.fields, { [key]: value })
    result.found_by[key] = by
  }
  return result
}

const relativeDatePattern = /上|昨|前|今|\blast\b|\bago\b|yesterday|today/iu

/** Drops amounts, dates and names that do not occur in the texts. */
function keepGrounded(candidates: Fields, text: string, today: string): Fields {
  const sums = amountsIn(text).map(({ amount }) => amount)
  const isWritten = (amount: number) =>
    sums.length > 0
      ? sums.includes(amount)
      : new RegExp(`(?<![\\d.])${amount}(?![\\d.])`).test(text.replaceAll(',', ''))
  const days = datesIn(text, today).map(({ date }) => date)
  const checks: Partial<Record<FieldKey, (value: never) => boolean>> = {
    cause_of_action_code: (code: string) => code !== 'other',
    amount: isWritten,
    monthly_wage: isWritten,
    event_date: (day: string) =>
      days.includes(day) || (days.length === 0 && relativeDatePattern.test(text)),
    opposing_party: (name: string) => text.includes(name),
  }
  return Object.fromEntries(
    Object.entries(candidates).filter(
      ([key, value]) => value != null && (checks[key as FieldKey]?.(value as never) ?? true),
    ),
  )
}
