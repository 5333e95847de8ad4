import * as z from 'zod'
import { canonicalJson, hash32 } from '../../../_kit/hash.ts'
import { defineSkill } from '../../skill.ts'
import { caseInputs, loadCase } from '../_shared/case-file.ts'
import { SkillState } from '../_shared/inputs.ts'
import { hasQuestion } from '../_shared/read-message.ts'
import { analyzeFile, EvidenceItem } from '../evidence_analysis/analyze.ts'
import { assess, ElementStatus } from './assess.ts'
import { reviewByModel } from './refine.ts'
import { gapTodos, renderElements } from './render.ts'

const Outputs = z.object({
  elements: z.array(ElementStatus),
  cause_of_action_code: z.string().nullable(),
  opened: z.array(z.string()),
  basis: z.int(),
  made_by: z.enum(['model', 'rules']),
})
const Opened = z.array(z.string()).catch([])
const Items = z.object({ items: z.array(EvidenceItem) })

export default defineSkill({
  inputs: z.object({ ...caseInputs, evidence_analysis: SkillState }),
  outputs: Outputs,

  async run({ inputs, state, model, tools, instructions, today }) {
    const caseFile = await loadCase(inputs, tools, today)
    const { cause, facts, language } = caseFile
    const analyzed = Items.safeParse(inputs.evidence_analysis).data?.items
    const reader = { tools, model, instructions, today }
    // Executed alone, the skill reads the files itself.
    const items =
      analyzed ??
      (await Promise.all(
        [...new Set(inputs.file_ids)].map((file_id) => analyzeFile(file_id, caseFile, reader)),
      ))
    const basis = hash32(canonicalJson([items, facts, cause, language]))
    const previous = Outputs.safeParse(state)
    if (previous.success && previous.data.basis === basis) return { output: previous.data }

    const byRules = assess(caseFile, items)
    const byModel =
      model && byRules.length > 0
        ? await reviewByModel(byRules, items, caseFile, model, instructions)
        : undefined
    const elements = byModel ?? byRules
    const { todos, opened } = gapTodos(elements, Opened.parse(state.opened ?? []), language)
    return {
      output: {
        elements,
        cause_of_action_code: cause?.code ?? null,
        opened,
        basis,
        made_by: byModel ? ('model' as const) : ('rules' as const),
      },
      ...(cause && { analysis: { kind: 'sufficiency' as const, items: elements } }),
      products: todos.length > 0 ? { todos } : {},
      ...(elements.length > 0 &&
        !(previous.success && hasQuestion(inputs.message)) && {
          reply: renderElements(elements, language),
        }),
    }
  },
})
