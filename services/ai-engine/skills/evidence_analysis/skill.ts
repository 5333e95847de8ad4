import * as z from 'zod'
import { canonicalJson, hash32 } from '../../../_kit/hash.ts'
import { defineSkill } from '../../skill.ts'
import { caseInputs, loadCase } from '../_shared/case-file.ts'
import { hasQuestion } from '../_shared/read-message.ts'
import { analyzeFile, EvidenceItem } from './analyze.ts'
import { renderEvidence } from './render.ts'

const Outputs = z.object({
  items: z.array(EvidenceItem),
  cause_of_action_code: z.string().nullable(),
  basis: z.int(),
  made_by: z.enum(['model', 'rules']),
})

export default defineSkill({
  inputs: z.object(caseInputs),
  outputs: Outputs,

  async run({ inputs, state, model, tools, instructions, progress, today }) {
    const caseFile = await loadCase(inputs, tools, today)
    const { cause, facts, language } = caseFile
    const fileIds = [...new Set(inputs.file_ids)]
    const basis = hash32(canonicalJson([fileIds, facts, cause, language]))
    const previous = Outputs.safeParse(state)
    if (previous.success && previous.data.basis === basis) return { output: previous.data }

    if (fileIds.length > 0) progress({ zh: '正在阅读证据', en: 'Reading the files' }[language])
    const reader = { tools, model, instructions, today }
    const items: EvidenceItem[] = []
    for (const file_id of fileIds) items.push(await analyzeFile(file_id, caseFile, reader))
    const byModel = items.some(({ made_by }) => made_by === 'model')
    return {
      output: {
        items,
        cause_of_action_code: cause?.code ?? null,
        basis,
        made_by: byModel ? ('model' as const) : ('rules' as const),
      },
      ...(cause && { analysis: { kind: 'evidences' as const, items } }),
      ...(items.length > 0 &&
        !(previous.success && hasQuestion(inputs.message)) && {
          reply: renderEvidence(items, language),
        }),
    }
  },
})
