import type { Matter } from '../_shared/inputs.ts'
import type { Extraction } from './extract.ts'
import { type FieldKey, type Fields, fieldKeys, fieldsIn } from './fields.ts'
import type { FoundBy } from './products.ts'

type Source = ['answer' | 'before' | 'matter', Fields]

/** All that is known: the first source that has a value wins, and texts only fill what is open. */
export function gather(
  sources: Source[],
  found: Extraction,
  foundBefore: Partial<Record<string, FoundBy>>,
) {
  const known: Fields = {}
  const foundBy: Record<string, FoundBy> = {}
  for (const key of fieldKeys) {
    const [source, fields] = sources.find(([, each]) => each[key] != null) ?? []
    const value = fields?.[key] ?? found.fields[key] ?? declined(sources, key)
    if (value === undefined) continue
    Object.assign(known, { [key]: value })
    const how = source === 'before' ? foundBefore[key] : (source ?? found.found_by[key])
    if (how) foundBy[key] = how
  }
  return { known, foundBy }
}

/** Null where a person was asked and had nothing to give; undefined where nobody asked. */
const declined = (sources: Source[], key: FieldKey): null | undefined =>
  sources.some(([, fields]) => fields[key] === null) ? null : undefined

export const answersIn = (answers: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(answers).map(([key, value]) => [key.replace(/^intake_collection\./, ''), value]),
  )

/** What the matter holds already is not asked for again. */
export function ofMatter(matter: Matter, fileIds: string[]): Fields {
  const held = fieldsIn({
    ...matter.profile,
    ...(matter.cause_of_action_code && { cause_of_action_code: matter.cause_of_action_code }),
    ...(fileIds.length > 0 && { evidence_files: fileIds }),
  })
  return Object.fromEntries(Object.entries(held).filter(([, value]) => value !== null))
}
