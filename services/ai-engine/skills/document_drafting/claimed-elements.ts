import type { CauseElement } from '../../cause-tools.ts'
import { affirms, meetsConditions } from '../_shared/conditions.ts'
import { listClaimableElements } from '../calculation/calculate.ts'
import type { FoundCitation } from '../legal_research/research.ts'
import type { DraftBasis } from './draft-basis.ts'

/**
 * Elements that the documents speak of. An element that only some claims need is left out unless one of them is made,
 * or, if no claim is known to need it, unless the person stated something on it.
 */
export function listClaimedElements(basis: DraftBasis): CauseElement[] {
  const { caseFile, cause, calculation } = basis
  const claimable = new Set(listClaimableElements(cause.code))
  const claimed = new Set(calculation.claims.flatMap(({ element_ids = [] }) => element_ids))
  const isStated = (keys: string[]) =>
    caseFile.facts.some(({ key, value }) => keys.includes(key) && affirms(value))
  return caseFile.elements.filter((element) => {
    const { element_id, required, applies_when, only_if } = element
    if (claimable.has(element_id)) return claimed.has(element_id)
    if (only_if.length > 0) return meetsConditions(only_if, caseFile.facts) === true
    if (required && !applies_when) return true
    const keys = factKeys(basis, element_id)
    // Facts of every intake, such as the monthly wage, do not show what an optional element is about.
    return isStated(required ? keys : keys.filter((key) => key.startsWith(`intake.${cause.code}.`)))
  })
}

/** Keys of the facts that the rating of an element rests on. */
const factKeys = ({ elements }: DraftBasis, element_id: string) =>
  (elements.find((each) => each.element_id === element_id)?.evidence ?? []).filter(
    (id) => id.startsWith('intake.') && !id.startsWith('intake.evidence'),
  )

/** Verified articles that the claims rest on, and the defences that a respondent raises. */
export function listCitations(basis: DraftBasis): FoundCitation[] {
  const claimed = new Set(listClaimedElements(basis).map(({ element_id }) => element_id))
  return basis.citations.filter(
    ({ element_ids, grounds_claim, grounds_defence }) =>
      (grounds_claim || grounds_defence) && element_ids.some((id) => claimed.has(id)),
  )
}

/** Those that the side of the person cites: for its claims, or for its defences. */
export function listGrounds(basis: DraftBasis): FoundCitation[] {
  const defends = basis.caseFile.fields.client_role === 'respondent'
  return listCitations(basis).filter((each) =>
    defends ? each.grounds_defence : each.grounds_claim,
  )
}
