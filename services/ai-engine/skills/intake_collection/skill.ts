import * as z from 'zod'
import { defineSkill } from '../../skill.ts'
import { FileIds, Matter, Messages, personTexts, Text } from '../_shared/inputs.ts'
import { type Language, lastLanguage } from '../_shared/language.ts'
import { buildQuestions, missingFields } from './ask.ts'
import { type Extraction, extract } from './extract.ts'
import { type Fields, fieldKeys, fieldSchemas, parseFields } from './fields.ts'
import { fieldsFromMatter, mergeSources, stripPrefix } from './gather.ts'
import { buildProducts, chooseCategory, formatValue, intakePhase } from './products.ts'

const FoundBys = z.record(z.string(), z.enum(['answer', 'matter', 'rules', 'model']))

/** State of the skill beside the fields. */
const WorkState = z.object({
  complete: z.boolean().default(false).catch(false),
  read: z.int().min(0).default(0).catch(0),
  language: z.enum(['zh', 'en']).optional().catch(undefined),
  found_by: FoundBys.default({}).catch({}),
})

const collected = z.object(fieldSchemas).partial().shape

export default defineSkill({
  inputs: z.object({ message: Text, messages: Messages, file_ids: FileIds, matter: Matter }),

  outputs: z.object({
    complete: z.boolean(),
    missing: z.array(z.string()),
    matter_category: z.string(),
    language: z.enum(['zh', 'en']),
    read: z.int(),
    found_by: FoundBys,
    ...(Object.fromEntries(fieldKeys.map((key) => [key, collected[key].nullable()])) as {
      [Key in keyof typeof collected]: z.ZodNullable<(typeof collected)[Key]>
    }),
  }),

  async run({ inputs, state, answered, model, instructions, progress, today }) {
    const workState = WorkState.parse(state)
    const texts = personTexts(inputs.messages, inputs.message)
    const unreadTexts = texts.slice(workState.read)
    const language = lastLanguage(unreadTexts) ?? workState.language ?? lastLanguage(texts) ?? 'zh'
    if (unreadTexts.length > 0 && model) progress(readingMessage[language])
    const extraction =
      unreadTexts.length > 0 ? await extract(unreadTexts, today, model, instructions) : noExtraction

    const { fields, foundBy } = mergeSources(
      [
        ['answer', parseFields(stripPrefix(answered?.answers ?? {}))],
        ['before', parseFields(state)],
        ['matter', fieldsFromMatter(inputs.matter, inputs.file_ids)],
      ],
      extraction,
      workState.found_by,
    )
    const missing = missingFields(fields)
    const output = {
      ...fields,
      complete: missing.length === 0,
      missing,
      matter_category: chooseCategory(fields, inputs.matter),
      language,
      read: texts.length,
      found_by: foundBy,
    }
    if (missing.length > 0) {
      const questions = buildQuestions(fields, language, texts, today)
      return {
        output,
        control: {
          action: 'ask_user',
          review_type: 'clarify',
          title: askingMessage[language],
          questions,
        },
        products: { phases: [intakePhase('IN_PROGRESS', language)] },
        reply: askingMessage[language],
      }
    }
    return {
      output,
      // Products are synced once.
      ...(!workState.complete && {
        products: buildProducts(fields, foundBy, inputs.matter, language),
      }),
      reply: doneMessage(fields, language),
    }
  },
})

const noExtraction: Extraction = { fields: {}, found_by: {} }
const readingMessage = { zh: '正在阅读您的描述', en: 'Reading what you wrote' }
const askingMessage = {
  zh: '为继续处理，还需要您补充以下信息。',
  en: 'To go on, a few more details are needed.',
}

function doneMessage(fields: Fields, language: Language): string {
  const what = formatValue('cause_of_action_code', fields, language)
  return { zh: `信息已收集完毕：${what}。`, en: `The intake is complete: ${what}.` }[language]
}
