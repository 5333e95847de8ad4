import * as z from 'zod'
import { canonicalJson, hash32 } from '../../../_kit/hash.ts'
import { factValues } from '../../facts.ts'
import { defineSkill } from '../../skill.ts'
import { caseInputs, loadCase } from '../_shared/case-file.ts'
import {
  answerKey,
  answersPrefix,
  CalculationResult,
  calculateCase,
  makeSource,
  missingInputs,
} from './calculate.ts'
import { renderCalculations } from './render.ts'

const Outputs = CalculationResult.extend({
  asked: z.array(z.string()),
  basis: z.int(),
  made_by: z.literal('rules'),
})
const WorkState = z.object({
  asked: z.array(z.string()).default([]).catch([]),
})

/** Questions of the intake. Answered or declined, they are not asked again. */
const Asked = z.array(z.string()).catch([])

/** Maximum number of questions on a card. */
const maxQuestions = 5

export default defineSkill({
  inputs: z.object(caseInputs),
  outputs: Outputs,

  async run({ inputs, state, tools, today }) {
    const caseFile = await loadCase(inputs, tools, today)
    const { cause, language } = caseFile
    const { asked } = WorkState.parse(state)
    const source = makeSource(caseFile, factValues(inputs.facts), asked, today)
    const result = calculateCase(caseFile, source)
    const missing = cause ? missingInputs(cause.code, source) : []
    const askedBefore = [...asked, ...Asked.parse(inputs.intake_collection.asked)]
    const open = missing.filter(({ name }) => !askedBefore.includes(name)).slice(0, maxQuestions)
    // The same result is shown once.
    const basis = hash32(canonicalJson([result, cause?.code, language]))
    const previous = Outputs.safeParse(state)
    if (open.length === 0 && previous.success && previous.data.basis === basis)
      return { output: previous.data }

    const output = { ...result, asked, basis, made_by: 'rules' as const }
    if (open.length > 0) {
      const title = askingMessage[language]
      return {
        // Nothing is shown or synced before the answers.
        output: { ...output, asked: [...asked, ...open.map(({ name }) => name)], basis: 0 },
        control: {
          action: 'ask_user',
          title,
          questions: open.map(({ name, question, input_type }) => ({
            question: question[language],
            field_key: `${answersPrefix}${answerKey(name)}`,
            input_type,
            required: false,
          })),
          skippable: true,
        },
        reply: title,
      }
    }
    return {
      output,
      products: { data: { work_product: { calculation: result } } },
      ...(result.calculations.length > 0 && { reply: renderCalculations(result, language) }),
    }
  },
})

const askingMessage = {
  zh: '为计算金额和期限，请补充以下信息；不知道的可以不填。',
  en: 'To calculate amounts and periods, please add the following; leave open what you do not know.',
}
