import { Cron } from 'croner'
import * as z from 'zod'
import { type Issue, notFound } from '../../_kit/fault.ts'
import { Id, Time, Version } from '../../_kit/fields.ts'
import {
  blockedAddressReason,
  FetchError,
  isAllowedHost,
  literalAddress,
  parseUrl,
} from '../../_kit/outbound/address.ts'
import type { Sql, SqlFragment } from '../../_kit/sql/sql.ts'

const Patterns = z
  .array(z.string().min(1).max(500))
  .max(100)
  .describe(
    'URL patterns with `*` as wildcard. A pattern that starts with `/` matches the path only.',
  )

/** Writable fields of a source. */
export const SourceFields = z.object({
  name: z.string().min(1).max(200),
  kind: z.enum(['http', 'sitemap', 'rss', 'upload']),
  url: z.string().min(1).max(2_000).nullable().describe('Start URL. Null for kind upload.'),
  schedule: z
    .string()
    .min(1)
    .max(100)
    .nullable()
    .describe('Cron expression with five fields, in UTC.'),
  kb_id: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .describe('Knowledge base that documents are imported into.'),
  include: Patterns,
  exclude: Patterns,
  enabled: z.boolean(),
})
export type SourceFields = z.output<typeof SourceFields>

export const Source = SourceFields.extend({
  id: Id,
  organization_id: z.string(),
  version: Version,
  next_run_at: Time.nullable(),
  created_at: Time,
  updated_at: Time,
}).meta({ id: 'Source' })
export type Source = z.output<typeof Source>

/** System bases are shared by all organizations. Only seed packages may write them. */
export const isSystemBase = (kbId: string | null) => /^\s*sys_/i.test(kbId ?? '')

/** Validation across fields. */
export function sourceIssues(source: SourceFields, allowedHosts: readonly string[]): Issue[] {
  const { kind, url, schedule } = source
  const issues: Issue[] = []
  if (kind === 'upload' && url !== null) {
    issues.push({ path: 'url', message: 'Must be null for kind upload.' })
  }
  if (kind === 'upload' && schedule !== null) {
    issues.push({ path: 'schedule', message: 'Must be null for kind upload.' })
  }
  if (isSystemBase(source.kb_id)) {
    issues.push({ path: 'kb_id', message: 'System bases are written by seed packages only.' })
  }
  if (kind !== 'upload') issues.push(...urlIssues(url, allowedHosts))
  if (schedule !== null && nextDueMs(schedule) === undefined) {
    issues.push({ path: 'schedule', message: 'Must be a cron expression with five fields.' })
  }
  return issues
}

function urlIssues(text: string | null, allowedHosts: readonly string[]): Issue[] {
  if (text === null) return [{ path: 'url', message: 'Required for this kind.' }]
  try {
    const url = parseUrl(text)
    const address = literalAddress(url)
    const fault =
      address && !isAllowedHost(url, allowedHosts) ? blockedAddressReason(address) : null
    return fault ? [{ path: 'url', message: `The address is not public (${fault}).` }] : []
  } catch (thrown) {
    if (thrown instanceof FetchError) return [{ path: 'url', message: thrown.message }]
    throw thrown
  }
}

/**
 * Next due time of a cron expression in milliseconds. Null if never, undefined if the expression is invalid.
 */
export function nextDueMs(schedule: string, after = new Date()): number | null | undefined {
  if (schedule.trim().split(/\s+/).length !== 5) return undefined
  try {
    return new Cron(schedule, { timezone: 'UTC' }).nextRun(after)?.getTime() ?? null
  } catch {
    return undefined
  }
}

export async function loadSource(sql: Sql, id: string, condition: SqlFragment, lock = false) {
  const source = lock
    ? await sql.row(Source)`
        select * from collector.sources where id = ${id} and ${condition} for update`
    : await sql.row(Source)`select * from collector.sources where id = ${id} and ${condition}`
  if (!source) throw notFound(`source ${id}`)
  return source
}
