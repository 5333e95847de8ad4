import * as z from 'zod'
import type { CauseRecord } from '../../cause-tools.ts'
import type { CaseFile } from '../_shared/case-file.ts'
import type { CalculationResult } from '../calculation/calculate.ts'
import type { EvidenceItem } from '../evidence_analysis/analyze.ts'
import type { Issue } from '../issue_spotting/issues.ts'
import type { FoundCitation } from '../legal_research/research.ts'
import type { Risk } from '../risk_assessment/assess-risk.ts'
import type { Strategy } from '../strategy/strategies.ts'
import type { ElementStatus } from '../sufficiency/assess.ts'

/** Names that the forms need and that the person gave on a card. */
export const Details = z.object({
  client_name: z.string().nullish().catch(null),
  opposing_name: z.string().nullish().catch(null),
  court: z.string().nullish().catch(null),
  client_contact: z.string().nullish().catch(null),
  opposing_contact: z.string().nullish().catch(null),
})
export type Details = z.output<typeof Details>

/** Everything that the documents are composed of. */
export interface DraftBasis {
  caseFile: CaseFile
  cause: CauseRecord
  details: Details
  /** Category of the matter. */
  category: string | undefined
  items: EvidenceItem[]
  elements: ElementStatus[]
  issues: Issue[]
  citations: FoundCitation[]
  calculation: CalculationResult
  strategies: Strategy[]
  risk: Risk | null
  today: string
}

export const blank = { zh: '（待补充）', en: '(to be added)' }

/** The other side as the documents name it; undefined if unknown. */
export const findOpponent = ({ details, caseFile }: DraftBasis) =>
  details.opposing_name ?? caseFile.fields.opposing_party ?? undefined
