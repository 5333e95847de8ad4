import * as z from 'zod'
import type { AnsweredCard, Control } from '../../skill.ts'
import type { Language } from '../_shared/language.ts'
import type { Extraction } from './extract.ts'
import { type FieldKey, type Fields, fieldKeys } from './fields.ts'
import type { Figure } from './figures.ts'
import { fieldLabel, formatValue } from './format.ts'

/** A reading that waits for the person: a figure that is ambiguous, or that contradicts an earlier one. */
export const PendingFigure = z.object({
  key: z.enum(fieldKeys as [FieldKey, ...FieldKey[]]),
  value: z.union([z.number(), z.string()]),
  quote: z.string(),
  /** Whether the text leaves no other reading. */
  certain: z.boolean().optional(),
})
export type PendingFigure = z.infer<typeof PendingFigure>

/** State member that receives the answer of the card. */
export const confirmedKey = 'figures_confirmed'

/** Selects the figures to confirm: those of open fields, and certain ones that contradict a known value. */
export function figuresToConfirm(
  uncertain: Figure[],
  found: Pick<Extraction, 'fields' | 'quotes'>,
  fields: Fields,
): PendingFigure[] {
  const contradicts = ({ key, value }: PendingFigure) =>
    fields[key] != null && fields[key] !== value
  return [
    ...uncertain
      .filter(({ key, value }) => fields[key] !== value)
      .map(({ key, value, quote }) => ({ key, value, quote })),
    ...certainFigures(found).filter(contradicts),
  ]
}

const certainFigures = ({ fields, quotes }: Pick<Extraction, 'fields' | 'quotes'>) =>
  (Object.keys(quotes) as FieldKey[]).map((key) => ({
    key,
    value: fields[key] as number | string,
    quote: quotes[key]!,
    certain: true,
  }))

/** The figures of an answered confirm card, if the person said yes. */
export const confirmedFigures = (pending: PendingFigure[], answered: AnsweredCard | null) =>
  answered?.answers[`intake_collection.${confirmedKey}`] === true ? pending : []

/** Builds the card that reads the figures back with their quotes: one yes or no for all of them. */
export function confirmCard(pending: PendingFigure[], fields: Fields, language: Language): Control {
  const lines = pending.map(({ key, value, quote }) => {
    const shown = formatValue(key, { [key]: value }, language)
    const earlier = fields[key] == null ? undefined : formatValue(key, fields, language)
    return lineOf(fieldLabel(key, language), shown, quote, earlier)[language]
  })
  const title = { zh: '请确认我的理解是否正确。', en: 'Please confirm that this is right.' }[
    language
  ]
  return {
    action: 'ask_user',
    review_type: 'confirm',
    title,
    questions: [
      {
        question: `${title}\n${lines.join('\n')}`.slice(0, 2_000),
        field_key: `intake_collection.${confirmedKey}`,
        input_type: 'boolean',
        required: true,
      },
    ],
    basis: { figures: pending },
    skippable: true,
  }
}

const lineOf = (label: string, value: string, quote: string, earlier: string | undefined) => {
  const short = quote.length > 200 ? `${quote.slice(0, 200)}…` : quote
  return {
    zh: `${label}：${value}（您写道：“${short}”${earlier ? `；此前记录为 ${earlier}` : ''}）`,
    en: `${label}: ${value} (you wrote: “${short}”${earlier ? `; recorded before: ${earlier}` : ''})`,
  }
}
