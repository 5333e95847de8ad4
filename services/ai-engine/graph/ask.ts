import { Control, type Skill, type Told } from '../skill.ts'
import type { State } from './state.ts'

const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/** The card that a skill wants asked, or null. One that reaches beyond the skill's own part is refused. */
export function askOf(skill: Skill, told: Told<unknown>): State['round']['ask'] {
  if (told.control?.action !== 'ask_user') return null
  const parsed = Control.safeParse(told.control)
  const message = parsed.success ? faultOf(skill, parsed.data) : parsed.error.issues[0]?.message
  if (message !== undefined || !parsed.success) {
    throw { code: 'SKILL_CARD', message: `${skill.name} asks what it may not: ${message}` }
  }
  return { skill: skill.name, control: parsed.data }
}

function faultOf(skill: Skill, { questions, review_type }: ReturnType<typeof Control.parse>) {
  if (questions.length === 0) return 'a card needs a question'
  if (review_type === 'confirm' && (questions.length > 1 || questions[0]!.input_type !== 'boolean'))
    return 'a confirm card has one yes or no'
  const keys = questions.map(({ field_key }) => field_key.split('.'))
  if (new Set(questions.map(({ field_key }) => field_key)).size < keys.length)
    return 'two questions write to the same place'
  const outside = keys.find(
    ([part, ...rest]) => part !== skill.name || rest.some((name) => forbidden.has(name)),
  )
  return outside && `${outside.join('.')} is not a place of its own`
}
