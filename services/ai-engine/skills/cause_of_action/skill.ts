import * as z from 'zod'
import { defineSkill } from '../../skill.ts'
import { Matter, Messages, personTexts, SkillState, Text } from '../_shared/inputs.ts'
import { lastLanguage } from '../_shared/language.ts'
import { readMessage } from '../_shared/read-message.ts'
import { detectArea } from '../intake_collection/area.ts'
import { recognizeCause } from '../intake_collection/cause.ts'
import { fieldsFromMatter } from '../intake_collection/gather.ts'
import { rankByModel } from './ask-model.ts'
import { Candidate, toCandidates } from './candidates.ts'

/** Lead of the first candidate over the second from which the ranking of a model is clear. */
const minLead = 0.1

export default defineSkill({
  inputs: z.object({
    message: Text,
    messages: Messages,
    matter: Matter,
    intake_collection: SkillState,
  }),
  outputs: z.object({
    candidates: z.array(Candidate),
    confident: z.boolean(),
    made_by: z.enum(['model', 'rules']),
  }),

  async run({ inputs, model, tools, instructions }) {
    const { matter, intake_collection: intake } = inputs
    const said = personTexts(inputs.messages, inputs.message)
    const texts = said.length > 0 ? said : [fieldsFromMatter(matter).what_happened ?? '']
    const text = texts.join('\n')
    const language = lastLanguage(texts) ?? (intake.language === 'en' ? 'en' : 'zh')
    // A matter of criminal or administrative law, and work outside of court, have no civil cause.
    const isCivil = detectArea(text) === undefined && readMessage(text) !== 'service'
    if (text.trim() === '' || !isCivil)
      return { output: { candidates: [], confident: false, made_by: 'rules' as const } }
    const recognition = await recognizeCause(tools, text)
    const byRules = toCandidates(recognition, text, language)
    const byModel = model
      ? await rankByModel(recognition, byRules, text, language, model, instructions)
      : undefined
    const ranked = byModel ?? byRules
    const chosen = chosenByPerson(intake)
    const candidates = putFirst(ranked, chosen)
    const [first, second] = candidates
    const isClear = byModel
      ? first !== undefined && first.score >= 0.5 && first.score - (second?.score ?? 0) >= minLead
      : recognition.confident
    return {
      output: {
        candidates,
        confident: first !== undefined && (chosen === first.code || isClear),
        made_by: byModel ? ('model' as const) : ('rules' as const),
      },
    }
  },
})

/** The cause that the person chose on a card of the intake. */
function chosenByPerson(intake: Record<string, unknown>): string | undefined {
  const { found_by, cause_of_action_code: code } = intake
  const how = (found_by as Record<string, unknown> | undefined)?.cause_of_action_code
  return how === 'answer' && typeof code === 'string' ? code : undefined
}

/** Puts the candidate that the person chose first, with at least the score of the best. */
function putFirst(candidates: Candidate[], code: string | undefined): Candidate[] {
  const chosen = candidates.find((each) => each.code === code)
  if (!chosen) return candidates
  const score = Math.max(chosen.score, candidates[0]!.score)
  return [{ ...chosen, score }, ...candidates.filter((each) => each !== chosen)]
}
