import type { Products } from '../../skill.ts'
import { money } from '../_shared/amounts.ts'
import type { Matter } from '../_shared/inputs.ts'
import type { Language } from '../_shared/language.ts'
import { fieldOf } from './ask.ts'
import { causeOf } from './causes.ts'
import { type FieldKey, type Fields, fieldKeys } from './fields.ts'

export type FoundBy = 'answer' | 'matter' | 'rules' | 'model'

const phaseName = { zh: '信息收集', en: 'Intake' }

export const phase = (status: 'IN_PROGRESS' | 'COMPLETED', language: Language) => ({
  phase_id: 'intake',
  phase_name: phaseName[language],
  status,
  order_num: 1,
})

export const given = (known: Fields): FieldKey[] => fieldKeys.filter((key) => known[key] != null)

/** The category of the cause; a cause of no kind leaves the matter what it was. */
export const categoryOf = (known: Fields, matter: Matter): string => {
  const cause = causeOf(known.cause_of_action_code)
  return cause.code === 'other' ? (matter.matter_category ?? cause.category) : cause.category
}

/** What a finished intake leaves in the matter. */
export function productsOf(
  known: Fields,
  foundBy: Record<string, FoundBy>,
  matter: Matter,
  language: Language,
): Products {
  const profile = Object.fromEntries(given(known).map((key) => [key, known[key]]))
  // Its todo is done once: matter-service refuses a second result.
  const todo = matter.todos?.find(({ todo_key }) => todo_key === 'intake_collection')
  return {
    matter_category: categoryOf(known, matter),
    ...(known.cause_of_action_code && { cause_of_action_code: known.cause_of_action_code }),
    profile,
    phases: [phase('COMPLETED', language)],
    ...(todo === undefined && {
      todos: [{ todo_key: 'intake_collection', title: phaseName[language] }],
    }),
    ...((todo?.status ?? 'OPEN') === 'OPEN' && {
      complete_todos: [{ todo_key: 'intake_collection', result: profile }],
    }),
    ...(known.evidence_files?.length && { file_ids: known.evidence_files }),
    facts: given(known).map((key) => ({
      entity_key: `intake.${key}`,
      category: key.startsWith('evidence') ? 'evidence' : 'case_detail',
      content: `${fieldOf(key, known).label[language]}: ${shown(key, known, language)}`.slice(
        0,
        8_000,
      ),
      value: known[key],
      confidence: confidence[foundBy[key] ?? 'rules'],
      metadata: { found_by: foundBy[key] ?? 'rules' },
    })),
  }
}

const confidence: Record<FoundBy, number> = { answer: 1, matter: 1, rules: 0.8, model: 0.7 }

/** A value as a person reads it. */
export function shown(key: FieldKey, known: Fields, language: Language): string {
  const value = known[key]
  const { options } = fieldOf(key, known)
  const label = (code: unknown) =>
    options?.find((option) => option.value === code)?.label[language] ?? String(code)
  if (Array.isArray(value)) return value.map(label).join(language === 'zh' ? '、' : ', ')
  if (typeof value === 'number') return money(value)
  if (typeof value === 'boolean')
    return { zh: ['否', '是'], en: ['no', 'yes'] }[language][Number(value)]!
  return label(value)
}
