import * as z from 'zod'
import { canonicalJson, hash32 } from '../../../_kit/hash.ts'
import { defineSkill } from '../../skill.ts'
import { FileIds, Messages, personTexts, SkillState, Text } from '../_shared/inputs.ts'
import { lastLanguage } from '../_shared/language.ts'
import { fetchElements } from '../_shared/law.ts'
import { hasQuestion } from '../_shared/read-message.ts'
import { parseFields } from '../intake_collection/fields.ts'
import { refine } from './refine.ts'
import { renderSummary, Summary, summarize } from './summary.ts'

const Outputs = z.object({
  complete: z.boolean(),
  language: z.enum(['zh', 'en']),
  basis: z.int(),
  made_by: z.enum(['model', 'rules']),
  summary: Summary,
})

/** Members of the intake state other than its fields. */
const IntakeNotes = z.object({
  cause_name: z.object({ zh: z.string(), en: z.string() }).nullable().default(null).catch(null),
  open_questions: z.array(z.string()).default([]).catch([]),
})

export default defineSkill({
  inputs: z.object({
    message: Text,
    messages: Messages,
    file_ids: FileIds,
    intake_collection: SkillState,
  }),

  outputs: Outputs,

  async run({ inputs, state, model, tools, instructions, progress, today }) {
    const texts = personTexts(inputs.messages, inputs.message)
    const intake = inputs.intake_collection
    const language = lastLanguage(texts) ?? (intake.language === 'en' ? 'en' : 'zh')
    const fields = parseFields(intake)
    const elements = await fetchElements(tools, fields.cause_of_action_code)
    const basis = hash32(canonicalJson([texts, fields, inputs.file_ids, elements, language]))

    // Unchanged material: the summary is reused and no model is called.
    const previous = Outputs.safeParse(state)
    if (previous.success && previous.data.basis === basis) {
      return { output: previous.data, reply: renderSummary(previous.data.summary, language) }
    }

    const { cause_name: causeName, open_questions: openQuestions } = IntakeNotes.parse(intake)
    const byRules = summarize(
      { fields, causeName, openQuestions, texts, fileCount: inputs.file_ids.length, elements },
      language,
      today,
    )
    if (model) progress({ zh: '正在整理案情', en: 'Summarizing the matter' }[language])
    const byModel = model
      ? await refine(byRules, texts, language, today, model, instructions)
      : undefined
    const summary = byModel ?? byRules
    const made_by = byModel ? ('model' as const) : ('rules' as const)
    return {
      output: { complete: true, language, basis, made_by, summary },
      products: {
        data: { work_product: { case_summary: { ...summary, language, made_by } } },
        phases: [
          {
            phase_id: 'analysis',
            phase_name: { zh: '案情分析', en: 'Analysis' }[language],
            status: 'IN_PROGRESS',
            order_num: 2,
          },
        ],
      },
      // A summary that is made again beside a question leaves the answer to the skill `chat`.
      ...(!(previous.success && hasQuestion(inputs.message)) && {
        reply: renderSummary(summary, language),
      }),
    }
  },
})
