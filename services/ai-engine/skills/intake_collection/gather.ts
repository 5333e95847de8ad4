import type { Matter } from '../_shared/inputs.ts'
import type { Extraction } from './extract.ts'
import { type FieldKey, type Fields, fieldKeys, parseFields } from './fields.ts'
import type { FoundBy } from './products.ts'

type FieldSource = ['answer' | 'before' | 'matter', Fields]

/** Merges field sources. The first source with a value wins; texts fill what is open. */
export function mergeSources(
  sources: FieldSource[],
  found: Extraction,
  foundBefore: Partial<Record<string, FoundBy>>,
) {
  const merged: Fields = {}
  const foundBy: Record<string, FoundBy> = {}
  for (const key of fieldKeys) {
    const [source, fields] = sources.find(([, each]) => each[key] != null) ?? []
    const value = fields?.[key] ?? found.fields[key] ?? declinedValue(sources, key)
    if (value === undefined) continue
    Object.assign(merged, { [key]: value })
    const how = source === 'before' ? foundBefore[key] : (source ?? found.found_by[key])
    if (how) foundBy[key] = how
  }
  return { fields: merged, foundBy }
}

/** Null if the person had no answer; undefined if the field was not requested. */
const declinedValue = (sources: FieldSource[], key: FieldKey): null | undefined =>
  sources.some(([, fields]) => fields[key] === null) ? null : undefined

export const stripPrefix = (answers: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(answers).map(([key, value]) => [key.replace(/^intake_collection\./, ''), value]),
  )

/** Fields that the matter holds; they are not requested again. */
export function fieldsFromMatter(matter: Matter, fileIds: string[]): Fields {
  const parsed = parseFields({
    ...matter.profile,
    ...(matter.cause_of_action_code && { cause_of_action_code: matter.cause_of_action_code }),
    ...(fileIds.length > 0 && { evidence_files: fileIds }),
  })
  return Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== null))
}
