import * as z from 'zod'
import { canonicalJson, hash32 } from '../../../_kit/hash.ts'
import { defineSkill } from '../../skill.ts'
import { caseInputs, loadCase } from '../_shared/case-file.ts'
import { SkillState } from '../_shared/inputs.ts'
import { reword } from '../_shared/reword.ts'
import { readElements } from '../sufficiency/assess.ts'
import { findIssues, Issue } from './issues.ts'

const Outputs = z.object({
  issues: z.array(Issue),
  basis: z.int(),
  made_by: z.enum(['model', 'rules']),
})

export default defineSkill({
  inputs: z.object({ ...caseInputs, sufficiency: SkillState }),
  outputs: Outputs,

  async run({ inputs, state, model, tools, instructions, today }) {
    const caseFile = await loadCase(inputs, tools, today)
    const { language, cause } = caseFile
    const byRules = findIssues(caseFile, readElements(inputs.sufficiency, caseFile))
    const basis = hash32(canonicalJson([byRules, inputs.sufficiency.basis ?? null]))
    const previous = Outputs.safeParse(state)
    if (previous.success && previous.data.basis === basis) return { output: previous.data }
    const questions = Object.fromEntries(byRules.map((each) => [each.issue_id, each.question]))
    const byModel =
      model && byRules.length > 0
        ? await reword(questions, language, model, 'issue_spotting', instructions)
        : undefined
    const issues = byRules.map((issue) => ({
      ...issue,
      question: byModel?.[issue.issue_id] ?? issue.question,
    }))
    const made_by = byModel ? ('model' as const) : ('rules' as const)
    return {
      output: { issues, basis, made_by },
      ...(cause && { analysis: { kind: 'issues' as const, items: issues } }),
    }
  },
})
