import { fragment, type SqlFragment } from '../../_kit/sql/sql.ts'

/**
 * Metadata with the member `law` of a law document: title, period and status. Applies to the table
 * `document`; `effective_to` is the last day in force.
 */
const withLaw = (metadata: SqlFragment, status: SqlFragment) => fragment`
  case when document.law is null then ${metadata} else ${metadata} || jsonb_build_object('law',
    jsonb_build_object(
      'title', coalesce(document.metadata -> 'law' ->> 'title', document.title),
      'effective_from', document.in_force_from,
      'effective_to', case when document.in_force_to > coalesce(document.in_force_from, '0001-01-01')
        then document.in_force_to - 1 end,
      'status', ${status})) end`

/** Metadata of a chunk that is in force on the requested day. */
export const chunkMetadataInForce = withLaw(fragment`chunk.metadata`, fragment`'in_force'`)

/** Metadata of a document on a day. */
export const documentMetadataOn = (day: string) =>
  withLaw(
    fragment`document.metadata`,
    fragment`case
      when document.in_force_from > ${day}::text::date
        or document.in_force_from is null and document.law_status = 'not_yet_in_force'
      then 'not_yet_in_force'
      when document.in_force_to is null or document.in_force_to > ${day}::text::date then 'in_force'
      when document.law_status in ('amended', 'repealed') then document.law_status
      when exists (select from knowledge.documents later where later.base = document.base
        and later.law = document.law and later.in_force_from > document.in_force_from)
      then 'amended' else 'repealed' end`,
  )
