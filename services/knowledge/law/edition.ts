import * as z from 'zod'
import { Day } from '../document.ts'
import { lawKey } from './numerals.ts'

export const EditionStatus = z.enum(['in_force', 'amended', 'repealed', 'not_yet_in_force'])
export type EditionStatus = z.infer<typeof EditionStatus>

/** An edition of a law as the metadata of its document declares it. */
export interface DeclaredEdition {
  title: string
  status: EditionStatus | null
  from: string | null
  /** First day out of force. */
  to: string | null
}

interface LawDocument {
  doc_type: string
  title: string
  metadata: Record<string, unknown>
}

/**
 * Returns the edition that a document declares, or null if it is no text of a law. The dates are
 * members of `metadata.law`, whose `effective_to` is the last day in force, or of the metadata itself,
 * whose `effective_to` is the first day out of force.
 */
export function declaredEdition({
  doc_type,
  title,
  metadata,
}: LawDocument): DeclaredEdition | null {
  const { law } = metadata
  const isObject = typeof law === 'object' && law !== null && !Array.isArray(law)
  if (!isObject && doc_type !== 'statute') return null
  const own = isObject ? (law as Record<string, unknown>) : {}
  const last = dayIn(own.effective_to)
  return {
    title: typeof own.title === 'string' && lawKey(own.title) !== '' ? own.title : title,
    status: EditionStatus.safeParse(own.status).data ?? null,
    from: dayIn(own.effective_from) ?? dayIn(metadata.effective_from),
    to: last === null ? dayIn(metadata.effective_to) : addDays(last, 1),
  }
}

/** Returns the date at the start of a value, or null. */
export function dayIn(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const date = value.slice(0, 10)
  return Day.safeParse(date).success ? date : null
}

const lastDay = '9999-12-31'

/** Adds days to a date; the last date of the calendar stays. */
export function addDays(day: string, count: number): string {
  if (day >= lastDay) return lastDay
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10)
}

/** A stored edition. `in_force_to` is the first day out of force. */
export const StoredEdition = z.object({
  law_status: EditionStatus.nullable(),
  in_force_from: z.string().nullable(),
  in_force_to: z.string().nullable(),
  /** True if a later edition of the law is stored. */
  superseded: z.boolean(),
})
export type StoredEdition = z.infer<typeof StoredEdition>

/** An edition that is known to be out of force, but not since when, has an empty period. */
const isUnknownEnd = ({ in_force_from: from, in_force_to: to }: Period) =>
  to !== null && to <= (from ?? to)
type Period = Pick<StoredEdition, 'in_force_from' | 'in_force_to'>

/** Period of an edition as responses show it: `effective_to` is the last day in force. */
export const effectivePeriod = (edition: Period) => ({
  effective_from: edition.in_force_from,
  effective_to:
    edition.in_force_to === null || isUnknownEnd(edition) ? null : addDays(edition.in_force_to, -1),
})

export const isInForceOn = ({ in_force_from: from, in_force_to: to }: Period, day: string) =>
  (from === null || from <= day) && (to === null || to > day)

/** Status of an edition on a day. */
export function statusOn(edition: StoredEdition, day: string): EditionStatus {
  if (isInForceOn(edition, day)) return 'in_force'
  if (edition.in_force_from === null && edition.law_status === 'not_yet_in_force') {
    return 'not_yet_in_force'
  }
  if (edition.in_force_from !== null && day < edition.in_force_from) return 'not_yet_in_force'
  if (edition.law_status === 'amended' || edition.law_status === 'repealed') {
    return edition.law_status
  }
  return edition.superseded ? 'amended' : 'repealed'
}
