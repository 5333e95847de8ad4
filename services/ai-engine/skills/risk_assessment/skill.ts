import * as z from 'zod'
import { canonicalJson, hash32 } from '../../../_kit/hash.ts'
import { defineSkill } from '../../skill.ts'
import { caseInputs, loadCase } from '../_shared/case-file.ts'
import { SkillState } from '../_shared/inputs.ts'
import { reword } from '../_shared/reword.ts'
import { readCalculation } from '../calculation/calculate.ts'
import { readIssues } from '../issue_spotting/issues.ts'
import { readElements } from '../sufficiency/assess.ts'
import { assessRisk, Risk } from './assess-risk.ts'

const Outputs = Risk.extend({ basis: z.int(), made_by: z.enum(['model', 'rules']) })
const noRisk: Risk = { score: 0, level: 'low', factors: [], other_side: [] }

export default defineSkill({
  inputs: z.object({
    ...caseInputs,
    evidence_analysis: SkillState,
    sufficiency: SkillState,
    issue_spotting: SkillState,
    calculation: SkillState,
  }),
  outputs: Outputs,

  async run({ inputs, state, model, tools, instructions, today }) {
    const caseFile = await loadCase(inputs, tools, today)
    const { cause, language } = caseFile
    const elements = readElements(inputs.sufficiency, caseFile)
    const issues = readIssues(inputs.issue_spotting, caseFile, elements)
    const calculation = readCalculation(inputs.calculation)
    const byRules = cause
      ? assessRisk({ caseFile, cause, elements, issues, calculation, today })
      : noRisk
    const basis = hash32(canonicalJson([byRules, inputs.sufficiency.basis ?? null]))
    const previous = Outputs.safeParse(state)
    if (previous.success && previous.data.basis === basis) return { output: previous.data }
    const texts = Object.fromEntries(
      byRules.factors.map(({ factor_id, description }) => [factor_id, description]),
    )
    const byModel =
      model && byRules.factors.length > 0
        ? await reword(texts, language, model, 'risk_assessment', instructions)
        : undefined
    const factors = byRules.factors.map((factor) => ({
      ...factor,
      description: byModel?.[factor.factor_id] ?? factor.description,
    }))
    const risk = { ...byRules, factors }
    const made_by = byModel ? ('model' as const) : ('rules' as const)
    return {
      output: { ...risk, basis, made_by },
      ...(cause && {
        analysis: { kind: 'risk_assessment' as const, result: { ...risk } },
        reply: riskLine(risk, language === 'en'),
      }),
    }
  },
})

const levels = { low: '低', medium: '中', high: '高' }

const riskLine = ({ score, level }: Risk, english: boolean) =>
  english ? `Risk: ${level} (${score} of 100)` : `风险：${levels[level]}（${score}/100）`
