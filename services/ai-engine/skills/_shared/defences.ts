import type { CauseElement } from '../../cause-tools.ts'
import type { CaseFile } from './case-file.ts'
import { meetsConditions } from './conditions.ts'

export interface RaisedDefence {
  element_id: string
  defence: CauseElement['defences'][number]
  /** Keys of the facts that raise it. */
  facts: string[]
}

/** Defences that the answers of a respondent raise, such as a repayment. Empty for a claimant. */
export function listRaisedDefences({ elements, facts, fields }: CaseFile): RaisedDefence[] {
  if (fields.client_role !== 'respondent') return []
  return elements.flatMap(({ element_id, defences }) =>
    defences
      .filter(({ only_if }) => only_if.length > 0 && meetsConditions(only_if, facts) === true)
      .map((defence) => ({
        element_id,
        defence,
        facts: defence.only_if.map(({ field_key }) =>
          field_key.replace(/^intake_collection\./, 'intake.'),
        ),
      })),
  )
}
