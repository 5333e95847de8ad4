import * as z from 'zod'
import { queryTokens } from '../../../_kit/tokenize.ts'
import type { CauseRecord } from '../../cause-tools.ts'
import type { CaseFile } from '../_shared/case-file.ts'
import { CalculatedClaim, type CalculationResult } from '../calculation/calculate.ts'
import type { Issue } from '../issue_spotting/issues.ts'
import type { ElementStatus } from '../sufficiency/assess.ts'

const Cost = z.object({ low: z.number(), high: z.number() }).nullable()

export const Strategy = z.object({
  strategy_id: z.string(),
  name: z.string(),
  recommended: z.boolean(),
  when: z.string(),
  steps: z.array(z.string()),
  claims: z.array(CalculatedClaim),
  expected_defences: z.array(z.string()),
  /** Court fee in yuan; null if it was not calculated. */
  cost: Cost,
  /** Last day of the limitation period; null if it was not calculated. */
  last_day: z.string().nullable(),
  jurisdiction: z.string().nullable(),
})
export type Strategy = z.output<typeof Strategy>

const Fee = z.object({ low: z.number(), high: z.number() })
const LastDay = z.object({ last_day: z.string() })
/** Templates for the party that is claimed against. */
const respondentPattern = /应诉|应对|被诉|作为(?:驾驶人|车主|借款人)|代理用人单位|defend/iu
/** Templates that secure proof before the claim. */
const proofFirstPattern = /补证|催告|对账|确认|鉴定|认定|demand|proof/iu
const maxDefences = 8
/** Steps for people who write English, where a template of the cause has them in Chinese only. */
const generalSteps = {
  defend: [
    'Check each claim against the evidence, and collect proof of your own facts.',
    'File the answer in time and raise limitation and other objections in it.',
    'Weigh a settlement against the cost and risk of the case.',
  ],
  prove: [
    'Collect the evidence that the gaps above call for, and keep the originals.',
    'Put the matter to the other side in writing and keep proof of delivery.',
    'File the claim before the limitation period ends.',
  ],
  claim: [
    'List the evidence by element and prepare the originals.',
    'Look for assets of the other side and consider preservation.',
    'File the claim at the competent court or commission.',
  ],
}

export interface StrategyBasis {
  caseFile: CaseFile
  cause: CauseRecord
  elements: ElementStatus[]
  issues: Issue[]
  calculation: CalculationResult
}

/**
 * Builds the strategies for the side of the person from the templates of the cause. Where a required
 * element is not proven, one that secures proof first is recommended; among these, one that the story names.
 */
export function buildStrategies(basis: StrategyBasis): Strategy[] {
  const { caseFile, cause, elements, issues, calculation } = basis
  const { language, fields } = caseFile
  const english = language === 'en'
  const defends = fields.client_role === 'respondent'
  const templates = cause.strategy_templates.filter(
    ({ name, when }) => respondentPattern.test(`${name} ${when}`) === defends,
  )
  const usable = templates.length > 0 ? templates : cause.strategy_templates
  const lacksProof = elements.some(({ required, status }) => required && status !== 'proven')
  const fits = ({ name, when }: (typeof usable)[number]) =>
    proofFirstPattern.test(`${name} ${when}`) === lacksProof
  const byStory = orderByStory(usable, cause, caseFile.texts)
  const ordered = [...byStory.filter(fits), ...byStory.filter((each) => !fits(each))]
  const resultOf = (id: string) =>
    calculation.calculations.find(({ calculator }) => calculator === id)?.result
  const defences = issues.flatMap(({ respondent }) => respondent.map(({ name }) => name))
  const general = generalSteps[defends ? 'defend' : lacksProof ? 'prove' : 'claim']
  return ordered.map(({ name, name_en, when, steps, steps_en }, index) => ({
    strategy_id: `strategy.${index + 1}`,
    name: english ? (name_en ?? name) : name,
    recommended: index === 0,
    when: english ? '' : when,
    steps: english ? (steps_en ?? general) : steps,
    claims: defends ? [] : calculation.claims,
    expected_defences: [...new Set(defences)].slice(0, maxDefences),
    cost: Fee.safeParse(resultOf('court_fee')).data ?? null,
    last_day: LastDay.safeParse(resultOf('limitation')).data?.last_day ?? null,
    jurisdiction: cause.jurisdiction_hint ?? null,
  }))
}

type Template = CauseRecord['strategy_templates'][number]

/** Orders templates by the words of the story that only they contain: violence calls for protection first. */
function orderByStory(templates: Template[], cause: CauseRecord, texts: string[]): Template[] {
  const wordsOf = ({ name, name_en, when }: Template) =>
    queryTokens(`${name} ${when} ${name_en ?? ''}`)
  const story = new Set(queryTokens(texts.join('\n')))
  const all = templates.flatMap(wordsOf)
  // Words of the cause and short English words are in every story of it.
  const common = new Set(queryTokens(`${cause.name} ${cause.name_en ?? ''}`))
  const isOwn = (word: string) =>
    all.filter((each) => each === word).length === 1 &&
    !common.has(word) &&
    !/^[a-z]{1,4}$/.test(word)
  const score = (template: Template) =>
    wordsOf(template).filter((word) => story.has(word) && isOwn(word)).length
  return templates
    .map((template) => ({ template, score: score(template) }))
    .sort((a, b) => b.score - a.score)
    .map(({ template }) => template)
}
