import type { Caller } from '../_kit/identity.ts'
import { canManage } from './deps.ts'
import type { FeatureFlag } from './flag.ts'

export const redactionNote =
  'Without `platform:manage` only the rules that can match the caller are returned, without the ids of others. `enabled` is false if the flag has rules and none of them can match.'

/**
 * Reduces the rules of a flag to those that can match the caller and names nobody else. A flag without any
 * remaining rule is shown as disabled: an enabled flag without rules would be on for everyone.
 */
export function redactFlag(flag: FeatureFlag, caller: Caller): FeatureFlag {
  if (canManage(caller) || flag.rules.length === 0) return flag
  const { organizationId, userId } = caller
  const rules = flag.rules
    .filter(
      (rule) => canMatch(rule.organization_ids, organizationId) && canMatch(rule.user_ids, userId),
    )
    .map((rule) => ({
      ...rule,
      ...(rule.organization_ids && { organization_ids: [organizationId!] }),
      ...(rule.user_ids && { user_ids: [userId!] }),
    }))
  return { ...flag, rules, enabled: flag.enabled && rules.length > 0 }
}

const canMatch = (ids: string[] | undefined, id: string | undefined) =>
  ids === undefined || (id !== undefined && ids.includes(id))
