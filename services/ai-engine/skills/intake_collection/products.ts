import { canonicalJson, hash32 } from '../../../_kit/hash.ts'
import { confidenceBySource, type FactSource } from '../../facts.ts'
import type { Products } from '../../skill.ts'
import type { Matter } from '../_shared/inputs.ts'
import type { Bilingual, Language } from '../_shared/language.ts'
import type { CauseQuestion } from './cause.ts'
import { type FieldKey, type Fields, fieldKeys, isFieldKey } from './fields.ts'
import { fieldLabel, formatPlain, formatValue } from './format.ts'

export type FoundBy = FactSource

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
  /** Member of the profile with the facts that nobody confirmed. */
  unconfirmed: Record<string, string[]>
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

/** Products of fields and answers that changed after the intake was complete. */
export function buildUpdate(intake: Intake, changed: string[]): Products {
  const { fields, category } = intake
  const changedFields = changed.filter(isFieldKey)
  const present = changedFields.filter((key) => fields[key] != null)
  // A null removes what is not known any more.
  const removed = changedFields.filter((key) => fields[key] == null)
  const details = Object.fromEntries(
    Object.entries(intake.details).filter(([key]) => changed.includes(key)),
  )
  return {
    ...(changed.includes('cause_of_action_code') && {
      matter_category: category,
      ...(fields.cause_of_action_code && { cause_of_action_code: fields.cause_of_action_code }),
    }),
    profile: {
      ...Object.fromEntries(present.map((key) => [key, fields[key]])),
      ...Object.fromEntries(removed.map((key) => [key, null])),
      ...intake.unconfirmed,
      // A member of the profile is replaced as a whole.
      ...(Object.keys(details).length > 0 && nestDetails(intake.details)),
    },
    ...(changed.includes('evidence_files') && { file_ids: fields.evidence_files }),
    facts: [
      ...present.map((key) => fieldFact(key, intake)),
      ...detailFacts({ ...intake, details }),
    ],
  }
}

/** Hash of each value, to find those that the matter does not have yet. */
export const hashValues = (values: Record<string, unknown>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value != null)
      .map(([key, value]) => [key, hash32(canonicalJson(value))]),
  )

const buildProfile = ({ fields, details, unconfirmed }: Intake): Record<string, unknown> => ({
  ...unconfirmed,
  ...Object.fromEntries(filledKeys(fields).map((key) => [key, fields[key]])),
  ...nestDetails(details),
})

/** Members `code.fact` become member `fact` of member `code`, as the cards store them. */
function nestDetails(details: Record<string, unknown>): Record<string, unknown> {
  const nested: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(details)) {
    const [code, fact] = key.split('.')
    if (value === null) continue
    if (fact === undefined) nested[key] = value
    else nested[code!] = { ...(nested[code!] as object), [fact]: value }
  }
  return nested
}

function fieldFact(key: FieldKey, { fields, foundBy, quotes, causeName, language }: Intake) {
  const found_by = foundBy[key] ?? 'rules'
  const shown = formatValue(key, fields, language, causeName)
  return {
    entity_key: `intake.${key}`,
    category: key.startsWith('evidence') ? 'evidence' : 'case_detail',
    content: `${fieldLabel(key, language)}: ${shown}`.slice(0, 8_000),
    value: fields[key],
    confidence: confidenceBySource[found_by],
    metadata: { found_by, ...(quotes[key] && { quote: quotes[key] }) },
  }
}

const detailFacts = ({ details, causeQuestions, foundBy, quotes, language }: Intake) =>
  causeQuestions
    .filter(({ key }) => details[key] != null)
    .map(({ key, wording }) => {
      const { question, options } = wording[language]
      const label = (value: unknown) =>
        options?.find((option) => option.value === value)?.label ??
        formatPlain(value, language) ??
        String(value)
      const values = Array.isArray(details[key]) ? details[key] : [details[key]]
      const found_by = foundBy[key] ?? 'answer'
      return {
        entity_key: `intake.${key}`,
        category: 'case_detail',
        content: `${question} ${values.map(label).join('、')}`.slice(0, 8_000),
        value: details[key],
        confidence: confidenceBySource[found_by],
        metadata: { found_by, ...(quotes[key] && { quote: quotes[key] }) },
      }
    })
