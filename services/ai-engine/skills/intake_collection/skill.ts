import * as z from 'zod'
import { defineSkill } from '../../skill.ts'
import { readUnconfirmed, unconfirmedProfile } from '../_shared/confirmation.ts'
import { FileIds, Matter, Messages, personTexts, SharedFacts, Text } from '../_shared/inputs.ts'
import { lastLanguage } from '../_shared/language.ts'
import { hasQuestion, readMessage, serviceTypeIn } from '../_shared/read-message.ts'
import { chooseCategory } from './category.ts'
import {
  bestCandidate,
  causeName,
  fetchCauseQuestions,
  fetchChecklistQuestions,
  recognizeCause,
} from './cause.ts'
import { confirmCard, confirmedFigures, figuresToConfirm } from './confirm.ts'
import {
  contradictionCard,
  findContradictions,
  isOpen,
  isUnanswered,
  leftOpen,
  settleContradictions,
} from './contradictions.ts'
import { enterContradictions } from './enter-contradictions.ts'
import { extract, noExtraction } from './extract.ts'
import { type FieldKey, parseFields } from './fields.ts'
import { fieldsFromFiles, readFileAnswers } from './file-answers.ts'
import {
  addLater,
  applyConfirmed,
  fieldsFromMatter,
  gatherDetails,
  mergeSources,
  stripPrefix,
} from './gather.ts'
import { askingMessage, doneMessage, readingMessage, updateMessage } from './messages.ts'
import { buildProducts, buildUpdate, hashValues, type Intake, intakePhase } from './products.ts'
import { buildQuestions, missingKeys, openQuestions } from './questions.ts'
import { buildFacts, correctedDetails, pickSources, pickValues } from './shared-facts.ts'
import { Outputs, WorkState } from './state.ts'

export default defineSkill({
  inputs: z.object({
    message: Text,
    messages: Messages,
    file_ids: FileIds,
    matter: Matter,
    facts: SharedFacts,
  }),
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
    const foundBefore = { ...work.found_by, ...pickSources(inputs.facts) }
    const before = parseFields({ ...state, ...pickValues(inputs.facts) })
    const settled = settleContradictions(work.contradictions, answered, extraction.fields)
    const chosen = settled.filter((_, at) => answered && isOpen(work.contradictions[at]!))
    const unanswered = isUnanswered(work.contradictions, answered)
      ? leftOpen(work.unconfirmed, before)
      : []
    // What the person rejected comes back neither from the matter nor from texts.
    const rejected = [
      ...readUnconfirmed(inputs.matter.profile ?? {}),
      ...[...settled, ...unanswered].map(({ key }) => key),
    ]
    const ofMatter = Object.entries(fieldsFromMatter(inputs.matter)).filter(
      ([key]) => before[key as FieldKey] !== null || !rejected.includes(key),
    )
    const merged = mergeSources(
      [
        ['answer', parseFields(stripPrefix(answered?.answers ?? {}))],
        ['before', applyConfirmed(before, confirmed)],
        ['matter', Object.fromEntries(ofMatter)],
      ],
      extraction,
      foundBefore,
    )
    const said = addLater(merged.fields, extraction, unread, inputs.file_ids)
    const foundBy = { ...foundBefore, ...merged.foundBy }
    for (const { key } of confirmed) foundBy[key] = 'answer'
    // A person who does not know the kind of matter gets the one that the story shows best.
    if (said.cause_of_action_code === null) {
      said.cause_of_action_code = bestCandidate(recognition) ?? null
      foundBy.cause_of_action_code = 'rules'
    }
    const code = said.cause_of_action_code
    const readBefore = code === state.cause_of_action_code ? work.read_files : []
    const newFiles = inputs.file_ids.filter((id) => !readBefore.includes(id))
    const fileAnswers = await readFileAnswers(newFiles, code, tools, today)
    const fromFiles = fieldsFromFiles(fileAnswers, said)
    const fields = { ...said, ...fromFiles }
    const fileQuotes = Object.fromEntries(fileAnswers.map(({ key, quote }) => [key, quote]))
    const quotes: Record<string, string> = {
      ...fileQuotes,
      ...extraction.quotes,
      ...work.quotes,
      ...Object.fromEntries(confirmed.map(({ key, quote }) => [key, quote])),
    }

    const asksFor = work.service_type_id ?? serviceTypeIn(texts.join('\n'))
    const serviceType = asksFor ?? inputs.matter.service_type_id ?? undefined
    const causeQuestions = code
      ? await fetchCauseQuestions(tools, code)
      : await fetchChecklistQuestions(tools, serviceType)
    const fileValues = Object.fromEntries(fileAnswers.map(({ key, value }) => [key, value]))
    const known = { ...pickValues(inputs.facts), ...fileValues }
    const stated = pickValues(inputs.facts, 'answer')
    const gather = (values: Record<string, unknown>) =>
      gatherDetails(causeQuestions, values, stated, inputs.matter.profile, rejected)
    const details = gather(known)
    // A corrected figure also replaces answers that state the same sum or day.
    for (const { key, value, quote } of correctedDetails(confirmed, before, details)) {
      details[key] = value
      foundBy[key] = 'answer'
      quotes[key] = quote
    }
    for (const { key, value } of fileAnswers)
      if (key in fromFiles || details[key] === value) foundBy[key] = 'file'
    const contradictions = [
      ...settled,
      ...unanswered,
      ...findContradictions(
        fileAnswers,
        {
          values: { ...said, ...gather(pickValues(inputs.facts)) },
          foundBy: { ...foundBefore, ...merged.foundBy },
          quotes: { ...extraction.quotes, ...work.quotes },
          details,
        },
        settled,
      ),
    ]
    const entered = [...chosen, ...unanswered]
    enterContradictions({ fields, details, foundBy, quotes }, contradictions, entered, language)
    // What another thread read and nobody confirmed is not confirmed by standing in the matter.
    for (const key of readUnconfirmed(inputs.matter.profile ?? {}))
      if (inputs.facts[key] === undefined && (foundBy[key] ?? 'matter') === 'matter')
        foundBy[key] = 'rules'
    const reading = work.reading ?? readMessage(texts.join('\n'))
    const closeCause = foundBy.cause_of_action_code === 'rules' && !recognition.confident
    const interview = {
      ...{ fields, details, asked: work.asked, causeQuestions, recognition, reading },
      serviceType: causeQuestions.length > 0 && !code ? serviceType : undefined,
      closeCause,
    }
    const missing = missingKeys(interview)
    const uncertain = extraction.uncertain.filter(({ key }) => !(key in fromFiles))
    // Figures that waited while the person chose between two sources are still to be confirmed.
    const unconfirmed =
      chosen.length > 0 ? work.unconfirmed : figuresToConfirm(uncertain, extraction, fields)
    const isContradicted = contradictions.some(isOpen)
    const name = causeName(recognition, fields.cause_of_action_code) ?? work.cause_name ?? null
    const output = {
      ...fields,
      complete: missing.length === 0 && unconfirmed.length === 0 && !isContradicted,
      missing,
      ...(asksFor && { service_type_id: asksFor }),
      matter_category: chooseCategory(fields, recognition, texts, work, inputs.matter),
      language,
      reading,
      read: texts.length,
      read_files: [...readBefore, ...newFiles],
      found_by: foundBy,
      cause_name: name,
      details,
      quotes,
      unconfirmed,
      contradictions,
      asked: work.asked.filter((key) => !chosen.some((each) => each.key === key)),
      open_questions: openQuestions(interview, language),
      synced: work.synced,
    }
    const facts = buildFacts({ ...fields, ...details }, foundBy, quotes, inputs.facts)
    const wasComplete = work.complete || Object.keys(work.synced).length > 0
    const inProgress = wasComplete ? {} : { phases: [intakePhase('IN_PROGRESS', language)] }
    if (isContradicted) {
      const control = contradictionCard(contradictions, causeQuestions, language)
      return { output, facts, control, products: inProgress, reply: control.title ?? '' }
    }
    if (unconfirmed.length > 0) {
      const control = confirmCard(unconfirmed, fields, language)
      return { output, facts, control, products: inProgress, reply: control.title ?? '' }
    }
    if (missing.length > 0) {
      const questions = buildQuestions(interview, language, texts, today)
      const keys = questions.map(({ field_key }) => field_key.replace('intake_collection.', ''))
      return {
        output: { ...output, asked: [...work.asked, ...keys] },
        facts,
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
      unconfirmed: unconfirmedProfile({ ...inputs.facts, ...facts }, texts, inputs.matter.profile),
    }
    const synced = hashValues({ ...fields, ...details })
    const changed = Object.keys({ ...work.synced, ...synced }).filter(
      (key) => synced[key] !== work.synced[key],
    )
    if (!wasComplete) {
      const products = buildProducts(intake, inputs.matter)
      return { output: { ...output, synced }, facts, products, reply: doneMessage(intake) }
    }
    if (changed.length === 0) return { output, facts }
    return {
      output: { ...output, synced },
      facts,
      products: buildUpdate(intake, changed),
      // A question is answered by the skill `chat`.
      ...(!hasQuestion(inputs.message) && { reply: updateMessage(intake, changed) }),
    }
  },

  /** State of version 1 has the same members; new members of version 2 have defaults. */
  migrate: (state) => state,
})
