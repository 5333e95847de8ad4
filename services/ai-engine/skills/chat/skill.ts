import * as z from 'zod'
import { ModelError } from '../../model/model-error.ts'
import { type Asked, defineSkill } from '../../skill.ts'
import { FileIds, Matter, Memory, Messages, Part, personTexts, Text } from '../_shared/inputs.ts'
import { type Language, lastLanguage } from '../_shared/language.ts'
import { elementsOf, passagesAbout } from '../_shared/law.ts'
import { causeIn } from '../intake_collection/causes.ts'
import { fieldsIn } from '../intake_collection/fields.ts'
import { stillDoubtful, unverified } from './citations.ts'
import { conversation, recalledIn, systemPrompt } from './converse.ts'
import { answerByRules, asksLaw, lawSources } from './rules.ts'
import { words } from './words.ts'

const Inputs = z.object({
  message: Text,
  messages: Messages,
  file_ids: FileIds,
  matter: Matter,
  memory: Memory,
  intake_collection: Part,
  case_summary: Part,
})

const Outputs = z.object({
  reply: z.string(),
  answered_by: z.enum(['model', 'rules']),
  known: z.boolean(),
  sources: z.array(z.object({ kind: z.string(), key: z.string() })),
  unverified_citations: z.array(z.string()),
})
type Outputs = z.infer<typeof Outputs>
type Given = Asked<z.output<typeof Inputs>>

export default defineSkill({
  inputs: Inputs,
  outputs: Outputs,

  async run(asked) {
    const texts = personTexts(asked.inputs.messages, asked.inputs.message)
    const language =
      lastLanguage(texts) ?? (asked.inputs.intake_collection.language === 'en' ? 'en' : 'zh')
    const law = await lawFor(asked)
    const output =
      (asked.model && texts.length > 0 ? await byModel(asked, language, law) : undefined) ??
      (await byRules(asked, language, law))
    return { output, reply: output.reply }
  },
})

type Law = Awaited<ReturnType<typeof lawFor>>

/** What is on file for a question of law: what has to be proved, and passages about it. */
async function lawFor({ inputs: { message, matter, intake_collection: intake }, tools }: Given) {
  if (!asksLaw.test(message)) return { elements: [], passages: [] }
  const code =
    causeIn(message) ?? fieldsIn(intake).cause_of_action_code ?? matter.cause_of_action_code
  return {
    elements: await elementsOf(tools, code),
    passages: await passagesAbout(tools, message.trim().slice(0, 500)),
  }
}

/** Undefined where the model does not answer, however often it was asked. */
async function byModel(asked: Given, language: Language, law: Law): Promise<Outputs | undefined> {
  const { inputs, instructions, today, model, tools, say, unsay } = asked
  const system = systemPrompt({
    instructions,
    language,
    today,
    matter: inputs.matter,
    memory: inputs.memory,
    file_ids: inputs.file_ids,
    intake: inputs.intake_collection,
    summary: inputs.case_summary,
    law,
  })
  const messages = conversation(inputs.messages, inputs.message)
  let said = false
  const onText = (text: string) => {
    said = true
    say(text)
  }
  const answer = await model!
    .chat({ system, messages, onText, onRestart: unsay })
    .catch((thrown: unknown) => {
      if (!(thrown instanceof ModelError)) throw thrown
      return ''
    })
  if (answer.trim() === '') {
    if (said) unsay()
    return undefined
  }
  const material = [system, ...messages.map(({ content }) => content)].join('\n')
  const doubtful = await stillDoubtful(tools, unverified(answer, material))
  const note = doubtful.length > 0 ? `\n\n${words.unverified[language]}${doubtful.join('、')}` : ''
  if (note !== '') say(note)
  return {
    reply: answer + note,
    answered_by: 'model',
    known: !admitsNot.test(answer),
    sources: [
      ...lawSources(law),
      ...inputs.memory.slice(0, 30).map(({ entity_key }) => ({ kind: 'memory', key: entity_key })),
    ],
    unverified_citations: doubtful,
  }
}

const admitsNot =
  /不知道|无法确定|不清楚|无法回答|do(?:es)? not know|don't know|can(?:'t|not| not) (?:say|tell|answer|determine)/iu

async function byRules(asked: Given, language: Language, law: Law): Promise<Outputs> {
  const { inputs, tools, model, say } = asked
  const { message, matter, intake_collection: intake } = inputs
  const query = message.trim().slice(0, 500)
  const recalled =
    query === '' || !tools.recall_memory
      ? []
      : recalledIn(await tools.recall_memory({ query, top_k: 5 }))
  const answer = answerByRules({
    message,
    language,
    matter,
    fields: fieldsIn({ ...matter.profile, ...intake }),
    missing: z.array(z.string()).safeParse(intake.missing).data ?? [],
    recalled,
    law,
    model: model ? 'failing' : 'absent',
  })
  say(answer.reply)
  return { ...answer, answered_by: 'rules', unverified_citations: [] }
}
