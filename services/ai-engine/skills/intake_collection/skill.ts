import * as z from 'zod'
import { defineSkill } from '../../skill.ts'
import { FileIds, Matter, Messages, personTexts, Text } from '../_shared/inputs.ts'
import { type Language, lastLanguage } from '../_shared/language.ts'
import { missing, questionsFor } from './ask.ts'
import { type Extraction, extract } from './extract.ts'
import { type Fields, fieldKeys, fieldSchemas, fieldsIn } from './fields.ts'
import { answersIn, gather, ofMatter } from './gather.ts'
import { categoryOf, phase, productsOf, shown } from './products.ts'

const FoundBys = z.record(z.string(), z.enum(['answer', 'matter', 'rules', 'model']))

/** What it keeps of its work beside the fields. */
const Kept = z.object({
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

  async run({ inputs, part, answered, model, instructions, progress, today }) {
    const kept = Kept.parse(part)
    const texts = personTexts(inputs.messages, inputs.message)
    const fresh = texts.slice(kept.read)
    const language = lastLanguage(fresh) ?? kept.language ?? lastLanguage(texts) ?? 'zh'
    if (fresh.length > 0 && model) progress(reading[language])
    const found = fresh.length > 0 ? await extract(fresh, today, model, instructions) : nothing

    const { known, foundBy } = gather(
      [
        ['answer', fieldsIn(answersIn(answered?.answers ?? {}))],
        ['before', fieldsIn(part)],
        ['matter', ofMatter(inputs.matter, inputs.file_ids)],
      ],
      found,
      kept.found_by,
    )
    const open = missing(known)
    const output = {
      ...known,
      complete: open.length === 0,
      missing: open,
      matter_category: categoryOf(known, inputs.matter),
      language,
      read: texts.length,
      found_by: foundBy,
    }
    if (open.length > 0) {
      const questions = questionsFor(known, language, texts, today)
      return {
        output,
        control: { action: 'ask_user', review_type: 'clarify', title: asking[language], questions },
        products: { phases: [phase('IN_PROGRESS', language)] },
        reply: asking[language],
      }
    }
    return {
      output,
      // What the matter was told once is not told again.
      ...(!kept.complete && { products: productsOf(known, foundBy, inputs.matter, language) }),
      reply: done(known, language),
    }
  },
})

const nothing: Extraction = { fields: {}, found_by: {} }
const reading = { zh: '正在阅读您的描述', en: 'Reading what you wrote' }
const asking = {
  zh: '为继续处理，还需要您补充以下信息。',
  en: 'To go on, a few more details are needed.',
}

function done(known: Fields, language: Language): string {
  const what = shown('cause_of_action_code', known, language)
  return { zh: `信息已收集完毕：${what}。`, en: `The intake is complete: ${what}.` }[language]
}
