import * as z from 'zod'
import { type AnsweredCard, defineSkill } from '../../skill.ts'
import { FileIds, Matter, Messages, personTexts, Text } from '../_shared/inputs.ts'
import { type Language, lastLanguage } from '../_shared/language.ts'
import { hasQuestion, readMessage } from '../_shared/read-message.ts'
import { detectArea } from './area.ts'
import { causeName, fetchCauseQuestions, type Recognition, recognizeCause } from './cause.ts'
import { confirmCard, confirmedKey, figuresToConfirm, type PendingFigure } from './confirm.ts'
import { extract, noExtraction } from './extract.ts'
import { type FieldKey, type Fields, parseFields } from './fields.ts'
import { fieldLabel, formatValue } from './format.ts'
import {
  addLater,
  applyConfirmed,
  fieldsFromMatter,
  gatherDetails,
  mergeSources,
  stripPrefix,
} from './gather.ts'
import { buildProducts, buildUpdate, hashFields, type Intake, intakePhase } from './products.ts'
import { buildQuestions, missingKeys, openQuestions } from './questions.ts'
import { Outputs, WorkState } from './state.ts'

export default defineSkill({
  inputs: z.object({ message: Text, messages: Messages, file_ids: FileIds, matter: Matter }),
  outputs: Outputs,

  async run({ inputs, state, answered, model, instructions, progress, tools, today }) {
    const work = WorkState.parse(state)
    const texts = personTexts(inputs.messages, inputs.message)
    const unread = texts.slice(work.read)
    const language = lastLanguage(unread) ?? work.language ?? lastLanguage(texts) ?? 'zh'
    if (unread.length > 0 && model) progress(readingMessage[language])
    const recognition = await recognizeCause(tools, texts.join('\n'))
    const extraction =
      unread.length > 0
        ? await extract(unread, { today, model, system: instructions, recognition })
        : noExtraction

    const confirmed = confirmedFigures(work.unconfirmed, answered)
    const merged = mergeSources(
      [
        ['answer', parseFields(stripPrefix(answered?.answers ?? {}))],
        ['before', applyConfirmed(parseFields(state), confirmed)],
        ['matter', fieldsFromMatter(inputs.matter)],
      ],
      extraction,
      work.found_by,
    )
    const fields = addLater(merged.fields, extraction, unread, inputs.file_ids)
    const foundBy = { ...merged.foundBy }
    for (const { key } of confirmed) foundBy[key] = 'answer'
    const quotes: Record<string, string> = {
      ...extraction.quotes,
      ...work.quotes,
      ...Object.fromEntries(confirmed.map(({ key, quote }) => [key, quote])),
    }

    const causeQuestions = await fetchCauseQuestions(tools, fields.cause_of_action_code)
    const details = gatherDetails(causeQuestions, state, inputs.matter.profile)
    const reading = work.reading ?? readMessage(texts.join('\n'))
    const closeCause = foundBy.cause_of_action_code === 'rules' && !recognition.confident
    const interview = {
      ...{ fields, details, asked: work.asked, causeQuestions, recognition, reading },
      closeCause,
    }
    const missing = missingKeys(interview)
    const unconfirmed = figuresToConfirm(extraction.uncertain, certainFigures(extraction), fields)
    const name = causeName(recognition, fields.cause_of_action_code) ?? work.cause_name ?? null
    const output = {
      ...fields,
      complete: missing.length === 0 && unconfirmed.length === 0,
      missing,
      matter_category: chooseCategory(fields, recognition, texts, work, inputs.matter),
      language,
      reading,
      read: texts.length,
      found_by: foundBy,
      cause_name: name,
      details,
      quotes,
      unconfirmed,
      asked: work.asked,
      open_questions: openQuestions(interview, language),
      synced: work.synced,
    }
    const wasComplete = work.complete || Object.keys(work.synced).length > 0
    const inProgress = wasComplete ? {} : { phases: [intakePhase('IN_PROGRESS', language)] }
    if (unconfirmed.length > 0) {
      const control = confirmCard(unconfirmed, fields, language)
      return { output, control, products: inProgress, reply: control.title ?? '' }
    }
    if (missing.length > 0) {
      const questions = buildQuestions(interview, language, texts, today)
      const keys = questions.map(({ field_key }) => field_key.replace('intake_collection.', ''))
      return {
        output: { ...output, asked: [...work.asked, ...keys] },
        control: {
          action: 'ask_user',
          review_type: 'clarify',
          title: askingMessage[language],
          questions,
          // A skipped question stays open and blocks nothing.
          skippable: true,
        },
        products: inProgress,
        reply: askingMessage[language],
      }
    }

    const intake: Intake = {
      ...{ fields, details, foundBy, quotes, causeName: name, causeQuestions, language },
      category: output.matter_category,
    }
    const synced = hashFields(fields)
    const changed = (Object.keys(synced) as FieldKey[]).filter(
      (key) => synced[key] !== work.synced[key],
    )
    if (!wasComplete) {
      const products = buildProducts(intake, inputs.matter)
      return { output: { ...output, synced }, products, reply: doneMessage(intake) }
    }
    if (changed.length === 0) return { output }
    return {
      output: { ...output, synced },
      products: buildUpdate(intake, changed),
      // A question is answered by the skill `chat`.
      ...(!hasQuestion(inputs.message) && { reply: updateMessage(intake, changed) }),
    }
  },

  /** State of version 1 has the same members; new members of version 2 have defaults. */
  migrate: (state) => state,
})

/** The figures of an answered confirm card, if the person said yes. */
function confirmedFigures(pending: PendingFigure[], answered: AnsweredCard | null) {
  return answered?.answers[`intake_collection.${confirmedKey}`] === true ? pending : []
}

const certainFigures = ({ fields, quotes }: typeof noExtraction): PendingFigure[] =>
  (Object.keys(quotes) as FieldKey[]).map((key) => ({
    key,
    value: fields[key] as number | string,
    quote: quotes[key]!,
  }))

/** Category of the matter: of its cause, else of its area of law, else as it was. */
function chooseCategory(
  fields: Fields,
  { causes }: Recognition,
  texts: string[],
  work: z.output<typeof WorkState>,
  matter: Matter,
): string {
  const cause = causes.find(({ code }) => code === fields.cause_of_action_code)
  if (cause) return cause.matter_category ?? 'civil_litigation'
  const text = texts.join('\n')
  const service = readMessage(text) === 'service' ? 'non_litigation' : undefined
  return (
    detectArea(text) ?? service ?? matter.matter_category ?? work.matter_category ?? 'consultation'
  )
}

const readingMessage = { zh: '正在阅读您的描述', en: 'Reading what you wrote' }
const askingMessage = {
  zh: '为继续处理，还需要您补充以下信息。',
  en: 'To go on, a few more details are needed.',
}

function doneMessage({ fields, causeName, language }: Intake): string {
  const what = formatValue('cause_of_action_code', fields, language, causeName)
  return { zh: `信息已收集完毕：${what}。`, en: `The intake is complete: ${what}.` }[language]
}

/** Reply that names the fields that changed after the intake was complete. */
function updateMessage({ fields, causeName, language }: Intake, changed: FieldKey[]): string {
  const lines = changed.map((key) => {
    const value = formatValue(key, fields, language, causeName)
    return `- ${fieldLabel(key, language)}: ${value.length > 200 ? `${value.slice(0, 200)}…` : value}`
  })
  return [updatedMessage[language as Language], ...lines].join('\n')
}

const updatedMessage = { zh: '已更新以下信息：', en: 'The following was updated:' }
