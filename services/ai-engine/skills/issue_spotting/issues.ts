import * as z from 'zod'
import type { CauseElement } from '../../cause-tools.ts'
import type { CaseFile } from '../_shared/case-file.ts'
import { Citation } from '../_shared/citations.ts'
import { meetsConditions } from '../_shared/conditions.ts'
import type { ElementStatus } from '../sufficiency/assess.ts'

export const Issue = z.object({
  issue_id: z.string(),
  element_id: z.string(),
  question: z.string(),
  status: z.enum(['proven', 'weak', 'missing']),
  burden: z.enum(['plaintiff', 'defendant']),
  claimant: z.string(),
  respondent: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['denial', 'objection', 'rule_of_law']),
      burden: z.enum(['plaintiff', 'defendant']).nullable(),
    }),
  ),
  legal_basis: z.array(Citation),
})
export type Issue = z.output<typeof Issue>

const FoundIssues = z.object({ issues: z.array(Issue) })

/** Reads the issues from the state of the skill; without it, finds them. */
export const readIssues = (state: unknown, caseFile: CaseFile, rated: ElementStatus[]): Issue[] =>
  FoundIssues.safeParse(state).data?.issues ?? findIssues(caseFile, rated)

/** Issues that are listed although every required element is proven. */
const maxContested = 3

/**
 * Finds the issues: every required element that is not proven, and elements that facts were stated on. If
 * all are proven, those of them against which the other side has objections.
 */
export function findIssues(caseFile: CaseFile, rated: ElementStatus[]): Issue[] {
  const issues = rated
    .filter(({ required, evidence }) => required || evidence.length > 0)
    .flatMap((status) => {
      const element = caseFile.elements.find((each) => each.element_id === status.element_id)
      return element ? [{ issue: toIssue(element, status, caseFile), status }] : []
    })
  const open = issues.filter(({ status }) => status.status !== 'proven')
  const rank = { missing: 0, weak: 1, proven: 2 }
  const ordered = open.sort(
    (a, b) =>
      Number(b.status.required) - Number(a.status.required) ||
      rank[a.status.status] - rank[b.status.status],
  )
  if (ordered.length > 0) return ordered.map(({ issue }) => issue)
  const contested = issues.filter(({ issue }) =>
    issue.respondent.some(({ kind }) => kind === 'objection'),
  )
  return contested.slice(0, maxContested).map(({ issue }) => issue)
}

function toIssue(
  element: CauseElement,
  rated: ElementStatus,
  { language, facts }: CaseFile,
): Issue {
  const english = language === 'en'
  const name = english ? (element.name_en ?? element.name) : element.name
  return {
    issue_id: `issue.${element.element_id}`,
    element_id: element.element_id,
    question: { zh: `能否认定：${name}？`, en: `Is it established: ${name}?` }[language],
    status: rated.status,
    burden: rated.burden,
    claimant: english ? (element.description_en ?? element.description) : element.description,
    respondent: element.defences.map(({ name, name_en, kind, burden_of_proof }) => ({
      name: english ? (name_en ?? name) : name,
      kind,
      burden: burden_of_proof ?? null,
    })),
    legal_basis: element.legal_basis
      .filter(({ only_if }) => meetsConditions(only_if, facts) === true)
      .map(({ law, article, quote }) => ({ law, article, quote })),
  }
}
