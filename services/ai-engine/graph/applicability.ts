import type { FrontMatter } from '../skill.ts'
import type { State } from './state.ts'

export type AppliesTo = FrontMatter['applies_to']

/** What decides whether a skill is meant for a matter. */
interface MatterKind {
  category: string | undefined
  /** Undefined if the cause is unknown or none that knowledge-service has. */
  cause: string | undefined
  serviceType: string | undefined
}

/** Reads the kind of the matter: from the intake of this thread, else from the matter. */
function matterKind({ matter, intake_collection }: State): MatterKind {
  const intake = (intake_collection ?? {}) as Record<string, unknown>
  const read = (name: string) => {
    const value = intake[name] ?? matter[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const cause = read('cause_of_action_code')
  return {
    category: read('matter_category'),
    cause: cause === 'other' ? undefined : cause,
    serviceType: read('service_type_id'),
  }
}

/** True if a skill is meant for the matter: every condition that it declares holds. Default: all matters. */
export function isApplicable(state: State, applies_to: AppliesTo): boolean {
  if (!applies_to) return true
  const { category, cause, serviceType } = matterKind(state)
  const { categories, causes, service_types } = applies_to
  const isListed = (list: string[] | undefined, value: string | undefined) =>
    list === undefined || (value !== undefined && list.includes(value))
  return (
    isListed(categories, category) &&
    (causes === 'any' ? cause !== undefined : isListed(causes, cause)) &&
    isListed(service_types, serviceType)
  )
}
