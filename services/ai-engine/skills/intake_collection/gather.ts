import type { Matter } from '../_shared/inputs.ts'
import { containsFacts } from '../_shared/read-message.ts'
import type { CauseQuestion } from './cause.ts'
import type { PendingFigure } from './confirm.ts'
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

/** Adds to lists and to the story what later messages and files bring. */
export function addLater(fields: Fields, found: Extraction, texts: string[], fileIds: string[]) {
  const story = fields.what_happened
  const news = texts.filter((text) => containsFacts(text) && !story?.includes(text))
  const union = (...lists: (string[] | null | undefined)[]) => [
    ...new Set(lists.flatMap((list) => list ?? [])),
  ]
  const evidence = union(fields.evidence, found.fields.evidence)
  const files = union(fields.evidence_files, fileIds)
  return {
    ...fields,
    ...(story && news.length > 0 && { what_happened: [story, ...news].join('\n').slice(0, 4_000) }),
    ...(evidence.length > 0 && { evidence }),
    ...(files.length > 0 && { evidence_files: files }),
  }
}

/** Sets figures that the person confirmed. */
export const applyConfirmed = (fields: Fields, confirmed: PendingFigure[]): Fields => ({
  ...fields,
  ...parseFields(Object.fromEntries(confirmed.map(({ key, value }) => [key, value]))),
})

export const stripPrefix = (answers: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(answers).map(([key, value]) => [key.replace(/^intake_collection\./, ''), value]),
  )

/** Fields that the matter holds; they are not requested again. */
export function fieldsFromMatter(matter: Matter): Fields {
  const parsed = parseFields({
    ...matter.profile,
    ...(matter.cause_of_action_code && { cause_of_action_code: matter.cause_of_action_code }),
  })
  return Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== null))
}

/**
 * Answers to questions of the cause: what the person stated, else what the profile of the matter holds in
 * member `fact` of member `code`, else what is known otherwise.
 */
export function gatherDetails(
  questions: CauseQuestion[],
  known: Record<string, unknown>,
  stated: Record<string, unknown>,
  profile: Record<string, unknown> | null | undefined,
  /** Values of the matter that the person rejected. */
  rejected: string[],
): Record<string, unknown> {
  const details: Record<string, unknown> = {}
  for (const { key } of questions) {
    if (fieldKeys.includes(key as FieldKey)) continue
    const ofMatter = valueAt(profile, key)
    const declined = stated[key] === null || ofMatter === null ? null : undefined
    const isKept = stated[key] !== null || !rejected.includes(key)
    const value = stated[key] ?? (isKept ? ofMatter : undefined) ?? known[key] ?? declined
    if (value !== undefined) details[key] = value
  }
  return details
}

function valueAt(source: Record<string, unknown> | null | undefined, key: string): unknown {
  let value: unknown = source
  for (const name of key.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
