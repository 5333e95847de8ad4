import * as z from 'zod'
import type { CaseFile } from '../_shared/case-file.ts'
import { readCalculation } from '../calculation/calculate.ts'
import { EvidenceItem } from '../evidence_analysis/analyze.ts'
import { readIssues } from '../issue_spotting/issues.ts'
import { FoundCitation } from '../legal_research/research.ts'
import { Risk } from '../risk_assessment/assess-risk.ts'
import { Strategy } from '../strategy/strategies.ts'
import { readElements } from '../sufficiency/assess.ts'
import { draftDemandLetter } from './demand-letter.ts'
import type { DraftDocument } from './document.ts'
import type { Details, DraftBasis } from './draft-basis.ts'
import { draftEvidenceList } from './evidence-list.ts'
import { draftLegalOpinion } from './legal-opinion.ts'
import { draftStatementOfClaim } from './statement-of-claim.ts'

type States = Record<
  | 'evidence_analysis'
  | 'sufficiency'
  | 'issue_spotting'
  | 'strategy'
  | 'risk_assessment'
  | 'legal_research'
  | 'calculation',
  Record<string, unknown>
>

/** Reads the results of the other skills. Missing ones are empty. */
export function readBasis(
  states: States,
  caseFile: CaseFile,
  details: Details,
  today: string,
): DraftBasis {
  const elements = readElements(states.sufficiency, caseFile)
  return {
    caseFile,
    cause: caseFile.cause!,
    details,
    items: z.array(EvidenceItem).safeParse(states.evidence_analysis.items).data ?? [],
    elements,
    issues: readIssues(states.issue_spotting, caseFile, elements),
    citations: z.array(FoundCitation).safeParse(states.legal_research.citations).data ?? [],
    calculation: readCalculation(states.calculation),
    strategies: z.array(Strategy).safeParse(states.strategy.strategies).data ?? [],
    risk: Risk.safeParse(states.risk_assessment).data ?? null,
    today,
  }
}

/** Causes in which nothing is demanded before the suit. */
const withoutDemand = new Set(['divorce', 'inheritance'])

/** Drafts the documents of the side of the person. */
export function draftDocuments(basis: DraftBasis): DraftDocument[] {
  const claims =
    basis.caseFile.fields.client_role !== 'respondent' && basis.calculation.claims.length > 0
  return [
    ...(claims ? [draftStatementOfClaim(basis)] : []),
    ...(basis.items.length > 0 ? [draftEvidenceList(basis)] : []),
    draftLegalOpinion(basis),
    ...(claims && !withoutDemand.has(basis.cause.code) ? [draftDemandLetter(basis)] : []),
  ]
}
