import { formatMoney } from '../_shared/amounts.ts'
import type { Bilingual, Language } from '../_shared/language.ts'
import { type FieldKey, type Fields, getField, otherCause } from './fields.ts'

export const fieldLabel = (key: FieldKey, language: Language) => getField(key).label[language]

/** Formats a value for display. The name of a cause comes from knowledge-service. */
export function formatValue(
  key: FieldKey,
  fields: Fields,
  language: Language,
  causeName?: Bilingual | null,
): string {
  const value = fields[key]
  if (key === 'cause_of_action_code') return formatCause(value, language, causeName)
  if (key === 'evidence_files' && Array.isArray(value))
    return { zh: `${value.length} 份`, en: String(value.length) }[language]
  const { options } = getField(key)
  const label = (code: unknown) =>
    options?.find((option) => option.value === code)?.label[language] ?? String(code)
  if (Array.isArray(value)) return value.map(label).join(language === 'zh' ? '、' : ', ')
  return formatPlain(value, language) ?? label(value)
}

/** Formats an amount or yes and no; undefined for anything else. */
export function formatPlain(value: unknown, language: Language): string | undefined {
  if (typeof value === 'number') return formatMoney(value)
  if (typeof value === 'boolean')
    return { zh: ['否', '是'], en: ['no', 'yes'] }[language][Number(value)]
  return undefined
}

function formatCause(code: unknown, language: Language, name: Bilingual | null | undefined) {
  if (name) return name[language]
  if (code == null) return { zh: '案由待定', en: 'Cause not yet known' }[language]
  return code === 'other' ? otherCause[language] : String(code)
}
