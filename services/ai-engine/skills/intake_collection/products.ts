import type { Products } from '../../skill.ts'
import { formatMoney } from '../_shared/amounts.ts'
import type { Matter } from '../_shared/inputs.ts'
import type { Language } from '../_shared/language.ts'
import { buildField } from './ask.ts'
import { findCause } from './causes.ts'
import { type FieldKey, type Fields, fieldKeys } from './fields.ts'

export type FoundBy = 'answer' | 'matter' | 'rules' | 'model'

const phaseName = { zh: '信息收集', en: 'Intake' }

export const intakePhase = (status: 'IN_PROGRESS' | 'COMPLETED', language: Language) => ({
  phase_id: 'intake',
  phase_name: phaseName[language],
  status,
  order_num: 1,
})

export const filledKeys = (fields: Fields): FieldKey[] =>
  fieldKeys.filter((key) => fields[key] != null)

/** Category of the cause. The cause `other` keeps the category of the matter. */
export const chooseCategory = (fields: Fields, matter: Matter): string => {
  const cause = findCause(fields.cause_of_action_code)
  return cause.code === 'other' ? (matter.matter_category ?? cause.category) : cause.category
}

/** Products of a completed intake. */
export function buildProducts(
  fields: Fields,
  foundBy: Record<string, FoundBy>,
  matter: Matter,
  language: Language,
): Products {
  const profile = Object.fromEntries(filledKeys(fields).map((key) => [key, fields[key]]))
  // The todo is completed once: matter-service rejects a second result.
  const todo = matter.todos?.find(({ todo_key }) => todo_key === 'intake_collection')
  return {
    matter_category: chooseCategory(fields, matter),
    ...(fields.cause_of_action_code && { cause_of_action_code: fields.cause_of_action_code }),
    profile,
    phases: [intakePhase('COMPLETED', language)],
    ...(todo === undefined && {
      todos: [{ todo_key: 'intake_collection', title: phaseName[language] }],
    }),
    ...((todo?.status ?? 'OPEN') === 'OPEN' && {
      complete_todos: [{ todo_key: 'intake_collection', result: profile }],
    }),
    ...(fields.evidence_files?.length && { file_ids: fields.evidence_files }),
    facts: filledKeys(fields).map((key) => ({
      entity_key: `intake.${key}`,
      category: key.startsWith('evidence') ? 'evidence' : 'case_detail',
      content:
        `${buildField(key, fields).label[language]}: ${formatValue(key, fields, language)}`.slice(
          0,
          8_000,
        ),
      value: fields[key],
      confidence: confidence[foundBy[key] ?? 'rules'],
      metadata: { found_by: foundBy[key] ?? 'rules' },
    })),
  }
}

const confidence: Record<FoundBy, number> = { answer: 1, matter: 1, rules: 0.8, model: 0.7 }

/** Formats a value for display. */
export function formatValue(key: FieldKey, fields: Fields, language: Language): string {
  const value = fields[key]
  const { options } = buildField(key, fields)
  const label = (code: unknown) =>
    options?.find((option) => option.value === code)?.label[language] ?? String(code)
  if (Array.isArray(value)) return value.map(label).join(language === 'zh' ? '、' : ', ')
  if (typeof value === 'number') return formatMoney(value)
  if (typeof value === 'boolean')
    return { zh: ['否', '是'], en: ['no', 'yes'] }[language][Number(value)]!
  return label(value)
}
