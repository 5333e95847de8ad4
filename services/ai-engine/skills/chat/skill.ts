import * as z from 'zod'
import { ModelError } from '../../model/model-error.ts'
import { defineSkill, type SkillContext } from '../../skill.ts'
import {
  FileIds,
  Matter,
  Memory,
  Messages,
  personTexts,
  SkillState,
  Text,
} from '../_shared/inputs.ts'
import { type Language, lastLanguage } from '../_shared/language.ts'
import { fetchElements, fetchPassages } from '../_shared/law.ts'
import { recognizeCause } from '../intake_collection/cause.ts'
import { parseFields } from '../intake_collection/fields.ts'
import { unconfirmedCitations, unverifiedCitations } from './citations.ts'
import { conversation, parseRecall, systemPrompt } from './converse.ts'
import { answerByRules, lawPattern, lawSources } from './rules.ts'
import { words } from './words.ts'

const Inputs = z.object({
  message: Text,
  messages: Messages,
  file_ids: FileIds,
  matter: Matter,
  memory: Memory,
  intake_collection: SkillState,
  case_summary: SkillState,
})

const Outputs = z.object({
  reply: z.string(),
  answered_by: z.enum(['model', 'rules']),
  known: z.boolean(),
  sources: z.array(z.object({ kind: z.string(), key: z.string() })),
  unverified_citations: z.array(z.string()),
})
type Outputs = z.infer<typeof Outputs>
const CauseName = z.object({ zh: z.string(), en: z.string() })
type ChatContext = SkillContext<z.output<typeof Inputs>>

export default defineSkill({
  inputs: Inputs,
  outputs: Outputs,

  async run(context) {
    const texts = personTexts(context.inputs.messages, context.inputs.message)
    const language =
      lastLanguage(texts) ?? (context.inputs.intake_collection.language === 'en' ? 'en' : 'zh')
    const law = await loadLaw(context)
    const output =
      (context.model && texts.length > 0
        ? await answerByModel(context, language, law)
        : undefined) ?? (await answerFromRules(context, language, law))
    return { output, reply: output.reply }
  },
})

type Law = Awaited<ReturnType<typeof loadLaw>>

/** Loads the elements and passages for a question of law. */
async function loadLaw({
  inputs: { message, matter, intake_collection: intake },
  tools,
}: ChatContext) {
  if (!lawPattern.test(message)) return { elements: [], passages: [] }
  const known = parseFields(intake).cause_of_action_code ?? matter.cause_of_action_code
  const [passages, elements] = await Promise.all([
    fetchPassages(tools, message.trim().slice(0, 500)),
    recognizeCause(tools, message).then(({ clear }) => fetchElements(tools, clear ?? known)),
  ])
  return { elements, passages }
}

/** Returns undefined if the model does not respond. */
async function answerByModel(
  context: ChatContext,
  language: Language,
  law: Law,
): Promise<Outputs | undefined> {
  const { inputs, instructions, today, model, tools, emitText, discardText } = context
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
  let emitted = false
  const onText = (text: string) => {
    emitted = true
    emitText(text)
  }
  const answer = await model!
    .chat({ system, messages, onText, onRestart: discardText })
    .catch((thrown: unknown) => {
      if (!(thrown instanceof ModelError)) throw thrown
      return ''
    })
  if (answer.trim() === '') {
    if (emitted) discardText()
    return undefined
  }
  const material = [system, ...messages.map(({ content }) => content)].join('\n')
  const unconfirmed = await unconfirmedCitations(tools, unverifiedCitations(answer, material))
  const note =
    unconfirmed.length > 0 ? `\n\n${words.unverified[language]}${unconfirmed.join('、')}` : ''
  if (note !== '') emitText(note)
  return {
    reply: answer + note,
    answered_by: 'model',
    known: !admitsIgnorance.test(answer),
    sources: [
      ...lawSources(law),
      ...inputs.memory.slice(0, 30).map(({ entity_key }) => ({ kind: 'memory', key: entity_key })),
    ],
    unverified_citations: unconfirmed,
  }
}

const admitsIgnorance =
  /不知道|无法确定|不清楚|无法回答|do(?:es)? not know|don't know|can(?:'t|not| not) (?:say|tell|answer|determine)/iu

async function answerFromRules(
  context: ChatContext,
  language: Language,
  law: Law,
): Promise<Outputs> {
  const { inputs, tools, model, emitText } = context
  const { message, matter, intake_collection: intake } = inputs
  const query = message.trim().slice(0, 500)
  const recalled =
    query === '' || !tools.recall_memory
      ? []
      : parseRecall(await tools.recall_memory({ query, top_k: 5 }))
  const answer = answerByRules({
    message,
    language,
    matter,
    fields: parseFields({ ...matter.profile, ...intake }),
    causeName: CauseName.safeParse(intake.cause_name).data ?? null,
    missing: z.array(z.string()).safeParse(intake.missing).data ?? [],
    recalled,
    law,
    model: model ? 'failing' : 'absent',
  })
  emitText(answer.reply)
  return { ...answer, answered_by: 'rules', unverified_citations: [] }
}
