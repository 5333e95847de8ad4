import { hash32 } from '../_kit/hash.ts'

export interface Rule {
  organization_ids?: string[] | undefined
  user_ids?: string[] | undefined
  percentage?: number | undefined
}

export interface Subject {
  user_id?: string | undefined
  organization_id?: string | undefined
}

/** An enabled flag is on if a rule matches or if it has no rules. */
export const isEnabledFor = (
  { key, enabled, rules }: { key: string; enabled: boolean; rules: Rule[] },
  subject: Subject,
): boolean =>
  enabled && (rules.length === 0 || rules.some((rule) => matchesRule(key, rule, subject)))

function matchesRule(
  key: string,
  { organization_ids, user_ids, percentage }: Rule,
  { user_id, organization_id }: Subject,
): boolean {
  return (
    includesId(organization_ids, organization_id) &&
    includesId(user_ids, user_id) &&
    (percentage === undefined || inRollout(percentage, key, user_id ?? organization_id))
  )
}

const includesId = (ids: string[] | undefined, id: string | undefined) =>
  ids === undefined || (id !== undefined && ids.includes(id))

/** Deterministic percentage rollout. A subject that is on stays on as the percentage grows. */
function inRollout(percentage: number, key: string, id: string | undefined): boolean {
  if (percentage === 100) return true
  return id !== undefined && hash32(`${key}:${id}`) % 10_000 < percentage * 100
}
