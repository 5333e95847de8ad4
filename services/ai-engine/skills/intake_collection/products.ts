import { canonicalJson, hash32 } from '../../../_kit/hash.ts'
import type { Products } from '../../skill.ts'
import type { Matter } from '../_shared/inputs.ts'
import type { Bilingual, Language } from '../_shared/language.ts'
import type { CauseQuestion } from './cause.ts'
import { type FieldKey, type Fields, fieldKeys } from './fields.ts'
import { fieldLabel, formatPlain, formatValue } from './format.ts'

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

/** Result of the intake for the matter. */
export interface Intake {
  fields: Fields
  details: Record<string, unknown>
  foundBy: Record<string, FoundBy>
  quotes: Record<string, string>
  causeName: Bilingual | null
  causeQuestions: CauseQuestion[]
  category: string
  language: Language
}

/** Products of a completed intake. */
export function buildProducts(intake: Intake, matter: Matter): Products {
  const { fields, category, language } = intake
  const profile = buildProfile(intake)
  // The todo is completed once: matter-service rejects a second result.
  const todo = matter.todos?.find(({ todo_key }) => todo_key === 'intake_collection')
  return {
    matter_category: category,
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
    facts: [...filledKeys(fields).map((key) => fieldFact(key, intake)), ...detailFacts(intake)],
  }
}

/** Products of fields that changed after the intake was complete. */
export function buildUpdate(intake: Intake, changed: FieldKey[]): Products {
  const { fields, category } = intake
  const present = changed.filter((key) => fields[key] != null)
  return {
    ...(changed.includes('cause_of_action_code') && {
      matter_category: category,
      ...(fields.cause_of_action_code && { cause_of_action_code: fields.cause_of_action_code }),
    }),
    profile: Object.fromEntries(present.map((key) => [key, fields[key]])),
    ...(changed.includes('evidence_files') && { file_ids: fields.evidence_files }),
    facts: present.map((key) => fieldFact(key, intake)),
  }
}

/** Hash of each value, to find the fields that the matter does not have yet. */
export const hashFields = (fields: Fields): Record<string, number> =>
  Object.fromEntries(filledKeys(fields).map((key) => [key, hash32(canonicalJson(fields[key]))]))

/** Members `code.fact` become member `fact` of member `code`, as the cards store them. */
function buildProfile({ fields, details }: Intake): Record<string, unknown> {
  const profile: Record<string, unknown> = Object.fromEntries(
    filledKeys(fields).map((key) => [key, fields[key]]),
  )
  for (const [key, value] of Object.entries(details)) {
    const [code, fact] = key.split('.')
    if (value === null) continue
    if (fact === undefined) profile[key] = value
    else profile[code!] = { ...(profile[code!] as object), [fact]: value }
  }
  return profile
}

function fieldFact(key: FieldKey, { fields, foundBy, quotes, causeName, language }: Intake) {
  const found_by = foundBy[key] ?? 'rules'
  const shown = formatValue(key, fields, language, causeName)
  return {
    entity_key: `intake.${key}`,
    category: key.startsWith('evidence') ? 'evidence' : 'case_detail',
    content: `${fieldLabel(key, language)}: ${shown}`.slice(0, 8_000),
    value: fields[key],
    confidence: confidence[found_by],
    metadata: { found_by, ...(quotes[key] && { quote: quotes[key] }) },
  }
}

const confidence: Record<FoundBy, number> = { answer: 1, matter: 1, rules: 0.8, model: 0.7 }

const detailFacts = ({ details, causeQuestions, language }: Intake) =>
  causeQuestions
    .filter(({ key }) => details[key] != null)
    .map(({ key, wording }) => {
      const { question, options } = wording[language]
      const label = (value: unknown) =>
        options?.find((option) => option.value === value)?.label ??
        formatPlain(value, language) ??
        String(value)
      const values = Array.isArray(details[key]) ? details[key] : [details[key]]
      return {
        entity_key: `intake.${key}`,
        category: 'case_detail',
        content: `${question} ${values.map(label).join('、')}`.slice(0, 8_000),
        value: details[key],
        confidence: 1,
        metadata: { found_by: 'answer' },
      }
    })
