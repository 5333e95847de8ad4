import * as z from 'zod'
import type { SkillContext } from '../../skill.ts'
import { amountsIn } from '../_shared/amounts.ts'
import { citationKey, verifyAll, writtenCitations } from '../_shared/citations.ts'
import { isSameValue } from '../_shared/confirmation.ts'
import type { CalculationResult } from '../calculation/calculate.ts'
import { answerKey, answersPrefix } from '../calculation/input-source.ts'
import { type DraftDocument, listStatements, type Source } from './document.ts'
import { blank } from './draft-basis.ts'

export const GateFault = z.object({
  document: z.string(),
  rule: z.enum(['citation', 'source', 'amount', 'blank', 'unconfirmed', 'stale', 'contradicted']),
  text: z.string(),
  reason: z.string(),
  /** Key of the fact that is not confirmed. Its confirmation ends the fault. */
  fact: z.string().optional(),
})
export type GateFault = z.output<typeof GateFault>

/** A fact as the gate sees it. */
export interface GateFact {
  value: unknown
  confirmed: boolean
}

/** What the statements of the documents may rest on. */
export interface GateBasis {
  /** By key, such as `intake.amount`. */
  facts: Map<string, GateFact>
  fileIds: Set<string>
  calculation: CalculationResult
  /** Sums between which the person has not chosen. */
  contradicted: number[]
  as_of: string
  tools: SkillContext<unknown>['tools']
}

/**
 * Checks the documents before delivery: every citation verifies, every statement has a source that exists,
 * every amount comes from a calculation, or from the fact, file or article that its statement rests on. No
 * statement rests on a fact that the person has not confirmed, nor on a calculation with such a fact or with
 * one that has changed since. A sum that the sources contradict is in no statement.
 */
export async function checkDocuments(
  documents: DraftDocument[],
  basis: GateBasis,
): Promise<GateFault[]> {
  const faults = documents.flatMap((document) => checkStatements(document, basis))
  return [...faults, ...(await checkCitations(documents, basis))]
}

function checkStatements(document: DraftDocument, basis: GateBasis): GateFault[] {
  const amounts = calculatedAmounts(basis.calculation)
  const fault = (rule: GateFault['rule'], text: string, reason: string): GateFault => ({
    document: document.key,
    rule,
    text: text.slice(0, 300),
    reason,
  })
  return listStatements(document).flatMap(({ text, sources }) => {
    const unknown = sources.filter((source) => !exists(source, basis))
    const stated = amountsIn(text)
    // The words of a file or of an article are quoted as they are.
    const quoted = sources.some(({ kind }) => kind === 'file' || kind === 'citation')
    const ofFacts = factAmounts(sources, basis)
    const wrong = quoted
      ? []
      : stated.filter(
          ({ amount }) => !amounts.has(toCents(amount)) && !ofFacts.has(toCents(amount)),
        )
    const contradicted = stated.filter(({ amount }) => basis.contradicted.includes(amount))
    return [
      ...(sources.length === 0 ? [fault('source', text, 'no source')] : []),
      ...unknown.map((source) => fault('source', text, `unknown source: ${describe(source)}`)),
      ...wrong.map((each) => fault('amount', text, `not calculated: ${each.text}`)),
      ...contradicted.map((each) => fault('contradicted', text, `contradicted: ${each.text}`)),
      ...sources.flatMap((source) =>
        checkFacts(source, basis).map(({ rule, key }) => ({
          ...fault(rule, text, `${rule === 'stale' ? 'changed' : 'not confirmed'}: ${key}`),
          // A calculation is made again with confirmed facts; a confirmation here comes too late for it.
          ...(source.kind === 'fact' && rule === 'unconfirmed' && { fact: key }),
        })),
      ),
      ...(Object.values(blank).some((mark) => text.includes(mark))
        ? [fault('blank', text, 'to be added')]
        : []),
    ]
  })
}

interface FactFault {
  rule: 'unconfirmed' | 'stale'
  key: string
}

/** Checks the facts behind a source: the fact itself, and those that a calculation or a claim was made with. */
function checkFacts(source: Source, { facts, calculation }: GateBasis): FactFault[] {
  const check = (key: string, used: unknown): FactFault[] => {
    const fact = facts.get(key)
    if (!fact || !isSameValue(fact.value, used)) return [{ rule: 'stale', key }]
    return fact.confirmed ? [] : [{ rule: 'unconfirmed', key }]
  }
  if (source.kind === 'fact') {
    const fact = facts.get(source.key)
    if (!fact) return []
    const amounts = calculation.claims.flatMap((claim) =>
      claim.source === source.key && claim.amount !== null ? [claim.amount] : [],
    )
    return check(source.key, amounts.find((amount) => amount !== fact.value) ?? fact.value)
  }
  if (source.kind !== 'calculation') return []
  const made = calculation.calculations.find(({ calculator }) => calculator === source.id)
  return Object.entries(made?.facts ?? {}).flatMap(([name, used]) => {
    const key = `intake.${name}`
    return check(facts.has(key) ? key : `${answersPrefix}${answerKey(name)}`, used)
  })
}

function exists(source: Source, { facts, fileIds, calculation }: GateBasis): boolean {
  if (source.kind === 'fact') return facts.has(source.key)
  if (source.kind === 'file') return fileIds.has(source.file_id)
  if (source.kind === 'calculation')
    return calculation.calculations.some(({ calculator }) => calculator === source.id)
  return true
}

const describe = (source: Source) =>
  source.kind === 'fact' ? source.key : source.kind === 'file' ? source.file_id : source.kind

const toCents = (amount: number) => Math.round(amount * 100)

/** Amounts that the facts behind a statement state: a number, or those in words. In cents. */
function factAmounts(sources: Source[], { facts }: GateBasis): Set<number> {
  const values = sources.flatMap((each) => (each.kind === 'fact' ? facts.get(each.key)?.value : []))
  return new Set(
    values.flatMap((value) =>
      typeof value === 'number'
        ? [toCents(value)]
        : amountsIn(JSON.stringify(value ?? '')).map(({ amount }) => toCents(amount)),
    ),
  )
}

/** All numbers of the calculations and claims, in cents. */
function calculatedAmounts({ calculations, claims }: CalculationResult): Set<number> {
  const found = new Set(claims.flatMap(({ amount }) => (amount === null ? [] : [toCents(amount)])))
  const collect = (value: unknown): void => {
    if (typeof value === 'number') found.add(toCents(value))
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect)
  }
  for (const { result, inputs } of calculations) collect([result, inputs])
  return found
}

async function checkCitations(documents: DraftDocument[], { tools, as_of }: GateBasis) {
  const cited = documents.flatMap((document) =>
    listStatements(document).flatMap(({ text, sources }) => {
      const declared = sources.flatMap((each) => (each.kind === 'citation' ? [each.citation] : []))
      const written = writtenCitations(text).filter(
        (each) => !declared.some((known) => citationKey(known) === citationKey(each)),
      )
      return [...declared, ...written].map((citation) => ({ document: document.key, citation }))
    }),
  )
  const distinct = [
    ...new Map(cited.map(({ citation }) => [JSON.stringify(citation), citation])).values(),
  ]
  const reasons = distinct.length === 0 ? [] : await verifyAll(tools, distinct, as_of)
  const faultOf = new Map(distinct.map((each, at) => [JSON.stringify(each), reasons[at]]))
  return cited.flatMap(({ document, citation }): GateFault[] => {
    const reason = faultOf.get(JSON.stringify(citation))
    return reason ? [{ document, rule: 'citation', text: citationKey(citation), reason }] : []
  })
}
