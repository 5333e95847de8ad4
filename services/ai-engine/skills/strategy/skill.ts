import * as z from 'zod'
import { canonicalJson, hash32 } from '../../../_kit/hash.ts'
import { defineSkill } from '../../skill.ts'
import { caseInputs, loadCase } from '../_shared/case-file.ts'
import { SkillState } from '../_shared/inputs.ts'
import { reword } from '../_shared/reword.ts'
import { readCalculation } from '../calculation/calculate.ts'
import { readIssues } from '../issue_spotting/issues.ts'
import { readElements } from '../sufficiency/assess.ts'
import { renderStrategy } from './render.ts'
import { buildStrategies, Strategy } from './strategies.ts'

const Outputs = z.object({
  strategies: z.array(Strategy),
  basis: z.int(),
  made_by: z.enum(['model', 'rules']),
})

export default defineSkill({
  inputs: z.object({
    ...caseInputs,
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
    const byRules = cause ? buildStrategies({ caseFile, cause, elements, issues, calculation }) : []
    const basis = hash32(canonicalJson([byRules, inputs.sufficiency.basis ?? null]))
    const previous = Outputs.safeParse(state)
    if (previous.success && previous.data.basis === basis) return { output: previous.data }
    const texts = Object.fromEntries(byRules.map((each) => [each.strategy_id, each.when]))
    const byModel =
      model && byRules.length > 0
        ? await reword(texts, language, model, 'strategy', instructions)
        : undefined
    const strategies = byRules.map((each) => ({
      ...each,
      when: byModel?.[each.strategy_id] ?? each.when,
    }))
    const made_by = byModel ? ('model' as const) : ('rules' as const)
    return {
      output: { strategies, basis, made_by },
      ...(cause && { analysis: { kind: 'strategies' as const, items: strategies } }),
      ...(strategies[0] && { reply: renderStrategy(strategies[0], language) }),
    }
  },
})
