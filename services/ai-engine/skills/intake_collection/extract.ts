import * as z from 'zod'
import { fenceData } from '../../model/fence.ts'
import type { Model } from '../../model/model.ts'
import { asksForLetter, readMessage } from '../_shared/read-message.ts'
import { detectArea } from './area.ts'
import type { Recognition } from './cause.ts'
import { type FieldKey, type Fields, fieldKeys, fieldSchemas, parseFields } from './fields.ts'
import { type Figure, readFigures } from './figures.ts'
import { checkModelFigures } from './model-figures.ts'
import { extractByRules } from './rules.ts'

export interface Extraction {
  fields: Fields
  found_by: Partial<Record<FieldKey, 'rules' | 'model'>>
  /** Clause that a figure was found in. */
  quotes: Partial<Record<FieldKey, string>>
  /** Figures that the person has to confirm. */
  uncertain: Figure[]
}

export const noExtraction: Extraction = { fields: {}, found_by: {}, quotes: {}, uncertain: [] }

interface ExtractOptions {
  today: string
  model: Model | null
  system: string
  recognition: Recognition
}

/** Extracts fields from texts: by a model if there is one, by rules for the rest. */
export async function extract(texts: string[], options: ExtractOptions): Promise<Extraction> {
  const { today, model, system, recognition } = options
  const text = texts.join('\n')
  const byRules: Fields = { ...extractByRules(texts), ...causeByRules(text, recognition) }
  const answer = await model?.object(modelExtraction(recognition), {
    name: 'intake',
    system,
    prompt: `Today is ${today}. Fill in what these messages of the person say; null for what they do not say.\n${fenceData('messages', texts.join('\n---\n').slice(0, 20_000))}`,
  })
  const byModel = answer ? keepGrounded(parseFields(answer), text) : {}
  const figures = checkModelFigures(byModel, readFigures(text, today), text, today)

  const result: Extraction = { fields: {}, found_by: {}, quotes: {}, uncertain: [] }
  const set = (key: FieldKey, value: unknown, by: 'rules' | 'model') => {
    if (value == null) return
    Object.assign(result.fields, { [key]: value })
    result.found_by[key] = by
  }
  for (const key of fieldKeys) {
    if (figureKeys.has(key)) continue
    if (byModel[key] != null) set(key, byModel[key], 'model')
    else set(key, byRules[key], 'rules')
  }
  for (const { by, ...figure } of figures) {
    if (!figure.certain) result.uncertain.push(figure)
    else {
      set(figure.key, figure.value, by)
      result.quotes[figure.key] = figure.quote
    }
  }
  return result
}

const figureKeys = new Set<FieldKey>(['amount', 'monthly_wage', 'event_date', 'employment_start'])

/**
 * A matter of criminal or administrative law, and work outside of court, have no civil cause; a letter to the
 * other side is about one.
 */
const causeByRules = (text: string, { clear }: Recognition): Fields =>
  clear !== null &&
  detectArea(text) === undefined &&
  (readMessage(text) !== 'service' || asksForLetter(text))
    ? { cause_of_action_code: clear }
    : {}

/** Schema for the model, with plain types. Each member is checked by the schema of its field afterwards. */
function modelExtraction({ causes }: Recognition) {
  const codes = causes.map(({ code }) => code)
  return z.object({
    cause_of_action_code: (codes.length > 0 ? z.enum(codes) : z.null()).nullable().catch(null),
    what_happened: z.string().nullable().catch(null),
    client_role: fieldSchemas.client_role.nullable().catch(null),
    aim: z.string().nullable().catch(null),
    amount: z.number().nullable().catch(null),
    monthly_wage: z.number().nullable().catch(null),
    event_date: z.string().nullable().catch(null),
    opposing_party: z.string().nullable().catch(null),
  })
}

/** Members that documents repeat: only the person's own words count. Figures are checked on their own. */
const literalKeys = new Set(['opposing_party', 'what_happened'])

const keepGrounded = (candidates: Fields, text: string): Fields =>
  Object.fromEntries(
    Object.entries(candidates).filter(
      ([key, value]) => value != null && (!literalKeys.has(key) || text.includes(value as string)),
    ),
  )
