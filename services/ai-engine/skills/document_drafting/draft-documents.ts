import * as z from 'zod'
import type { CaseFile } from '../_shared/case-file.ts'
import { asksForLetter } from '../_shared/read-message.ts'
import { readCalculation } from '../calculation/calculate.ts'
import { EvidenceItem } from '../evidence_analysis/analyze.ts'
import { readIssues } from '../issue_spotting/issues.ts'
import { FoundCitation } from '../legal_research/research.ts'
import { Risk } from '../risk_assessment/assess-risk.ts'
import { Strategy } from '../strategy/strategies.ts'
import { readElements } from '../sufficiency/assess.ts'
import { draftAnswer } from './answer.ts'
import type { DraftDocument } from './document.ts'
import type { Details, DraftBasis } from './draft-basis.ts'
import { draftEvidenceList } from './evidence-list.ts'
import { draftLegalOpinion } from './legal-opinion.ts'
import { draftLetter } from './letter.ts'
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
  category: string | undefined,
  today: string,
): DraftBasis {
  const elements = readElements(states.sufficiency, caseFile)
  return {
    caseFile,
    cause: caseFile.cause!,
    details,
    category,
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

/**
 * Drafts the documents of the side of the person. Work outside of court ends with an opinion and a letter; a
 * person who asks for a lawyer's letter gets it instead of the demand.
 */
export function draftDocuments(basis: DraftBasis): DraftDocument[] {
  const { caseFile, cause, items, calculation, category } = basis
  const defends = caseFile.fields.client_role === 'respondent'
  const claims = !defends && calculation.claims.length > 0
  const inCourt = category !== 'non_litigation'
  const letter = caseFile.texts.some(asksForLetter) ? ('lawyer' as const) : ('demand' as const)
  return [
    ...(inCourt && claims ? [draftStatementOfClaim(basis)] : []),
    ...(inCourt && defends ? [draftAnswer(basis)] : []),
    ...(inCourt && items.length > 0 ? [draftEvidenceList(basis)] : []),
    draftLegalOpinion(basis),
    ...(claims && !withoutDemand.has(cause.code) ? [draftLetter(basis, letter)] : []),
  ]
}
