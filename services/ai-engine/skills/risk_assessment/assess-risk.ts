import * as z from 'zod'
import { queryTokens } from '../../../_kit/tokenize.ts'
import { addMonths } from '../../calculators/days.ts'
import type { CauseRecord } from '../../cause-tools.ts'
import type { CaseFile } from '../_shared/case-file.ts'
import { Citation } from '../_shared/citations.ts'
import type { CalculationResult } from '../calculation/calculate.ts'
import type { Issue } from '../issue_spotting/issues.ts'
import type { ElementStatus } from '../sufficiency/assess.ts'

export const Factor = z.object({
  factor_id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Points of the score. */
  weight: z.number(),
  element_id: z.string().nullable(),
  legal_basis: z.array(Citation),
})
export const OtherSide = z.object({
  element_id: z.string(),
  attack: z.string(),
  burden: z.enum(['plaintiff', 'defendant']),
  /** How well the attack stands: strong where the element is missing. */
  strength: z.enum(['strong', 'moderate', 'weak']),
})
export const Risk = z.object({
  score: z.int().min(0).max(100),
  level: z.enum(['low', 'medium', 'high']),
  factors: z.array(Factor),
  other_side: z.array(OtherSide),
})
export type Risk = z.output<typeof Risk>

/** Points that gaps in required elements can reach together. */
const elementPoints = 70
const gapShare = { missing: 1, weak: 0.5, proven: 0 }
/** Points of a risk factor of the cause that the story speaks of. */
const factorPoints = 5
/** Words, and share of its words, that a risk factor has in common with the story before it counts. */
const minSharedWords = 2
const minSharedShare = 0.6
const limits = { medium: 25, high: 55 }

export interface RiskBasis {
  caseFile: CaseFile
  cause: CauseRecord
  elements: ElementStatus[]
  issues: Issue[]
  calculation: CalculationResult
  today: string
}

/**
 * Rates the risk of the side of the person. For the party that claims: gaps in the evidence, limitation and typical
 * risks. For the respondent: what the other side can prove.
 */
export function assessRisk(basis: RiskBasis): Risk {
  const { elements, issues, caseFile } = basis
  const factors =
    caseFile.fields.client_role === 'respondent'
      ? proofFactors(elements)
      : [
          ...limitationFactors(basis),
          ...doubleWageFactors(basis),
          ...gapFactors(elements),
          ...typicalFactors(basis),
        ]
  const score = Math.min(100, Math.round(factors.reduce((sum, { weight }) => sum + weight, 0)))
  const level = score >= limits.high ? 'high' : score >= limits.medium ? 'medium' : 'low'
  const strengths = { missing: 'strong', weak: 'moderate', proven: 'weak' } as const
  return {
    score,
    level,
    factors: factors.sort((a, b) => b.weight - a.weight),
    other_side: issues.flatMap(({ element_id, status, respondent, burden }) =>
      respondent.map((defence) => ({
        element_id,
        attack: defence.name,
        burden: defence.burden ?? burden,
        strength: strengths[status],
      })),
    ),
  }
}

function gapFactors(elements: ElementStatus[]) {
  const required = elements.filter((each) => each.required)
  return required
    .filter(({ status }) => status !== 'proven')
    .map(({ element_id, name, status, gap }) => ({
      factor_id: `gap.${element_id}`,
      name,
      description: gap,
      weight: Math.round((elementPoints / required.length) * gapShare[status]),
      element_id,
      legal_basis: [],
    }))
}

/** Required elements that are shown. */
function proofFactors(elements: ElementStatus[]) {
  const required = elements.filter((each) => each.required)
  return required
    .filter(({ status }) => status !== 'missing')
    .map(({ element_id, name, status }) => ({
      factor_id: `proof.${element_id}`,
      name,
      description: '',
      weight: Math.round((elementPoints / required.length) * (1 - gapShare[status])),
      element_id,
      legal_basis: [],
    }))
}

const Hired = z.object({
  hired_on: z.iso.date(),
  left_on: z.iso.date().optional(),
  signed_on: z.iso.date().optional(),
})

/**
 * The second wage is owed for the time up to one year after the employment began, and claimed within one year after
 * that time, whenever the employment ends.
 */
function doubleWageFactors({ calculation, today, caseFile }: RiskBasis) {
  const found = calculation.calculations.find(({ calculator }) => calculator === 'double_wage')
  const hired = Hired.safeParse(found?.inputs).data
  if (!hired) return []
  const ends = [addMonths(hired.hired_on, 12), hired.left_on, hired.signed_on]
  const until = ends.filter((day) => day !== undefined).sort()[0]!
  const last = addMonths(until, 12)
  if (last >= today) return []
  return [
    {
      factor_id: 'limitation.double_wage',
      name: {
        zh: '二倍工资可能已过仲裁时效',
        en: 'The second wage may be out of time',
      }[caseFile.language],
      description: {
        zh: `二倍工资支付至 ${until}，一年的仲裁时效至 ${last}。用人单位提出时效抗辩的，该项请求难以支持。`,
        en: `It is owed up to ${until}; the year for arbitration ended on ${last}. If the employer pleads it, this claim fails.`,
      }[caseFile.language],
      weight: 20,
      element_id: null,
      legal_basis: [{ law: '劳动争议调解仲裁法', article: '第二十七条' }],
    },
  ]
}

const LastDay = z.object({ last_day: z.string() })

/** A period that is over outweighs everything else. */
function limitationFactors({ calculation, today, caseFile }: RiskBasis) {
  const found = calculation.calculations.find(({ calculator }) => calculator === 'limitation')
  const last = LastDay.safeParse(found?.result).data?.last_day
  if (!found || last === undefined || last >= today) return []
  const name = { zh: '时效期间已过', en: 'The limitation period is over' }[caseFile.language]
  const description = { zh: `最后一日为 ${last}。`, en: `The last day was ${last}.` }
  return [
    {
      factor_id: 'limitation',
      name,
      description: description[caseFile.language],
      weight: 60,
      element_id: null,
      legal_basis: found.articles,
    },
  ]
}

/** Risk factors of the cause that the story speaks of. */
function typicalFactors({ cause, caseFile }: RiskBasis) {
  const story = new Set(caseFile.texts.flatMap(queryTokens))
  return cause.risk_factors
    .filter(({ name }) => {
      const words = queryTokens(name)
      const shared = words.filter((word) => story.has(word)).length
      return shared >= minSharedWords && shared >= words.length * minSharedShare
    })
    .map(({ name, name_en, description, legal_basis }, index) => ({
      factor_id: `typical.${index + 1}`,
      name: caseFile.language === 'en' ? (name_en ?? name) : name,
      description,
      weight: factorPoints,
      element_id: null,
      legal_basis,
    }))
}
