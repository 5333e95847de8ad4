import { Control, type Skill, type SkillResult } from '../skill.ts'
import type { RequestedCard } from './state.ts'

const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** Returns the card that a skill requests, or null. Throws if it writes outside of the skill's state. */
export function requestedCard(skill: Skill, result: SkillResult<unknown>): RequestedCard | null {
  if (result.control?.action !== 'ask_user') return null
  const parsed = Control.safeParse(result.control)
  const message = parsed.success ? cardProblem(skill, parsed.data) : parsed.error.issues[0]?.message
  if (message !== undefined || !parsed.success) {
    throw {
      code: 'SKILL_CARD',
      message: `Skill ${skill.name} requested an invalid card: ${message}`,
    }
  }
  return { skill: skill.name, control: parsed.data }
}

function cardProblem(skill: Skill, { questions, review_type }: ReturnType<typeof Control.parse>) {
  if (questions.length === 0) return 'a card needs at least one question'
  if (review_type === 'confirm' && (questions.length > 1 || questions[0]!.input_type !== 'boolean'))
    return 'a confirm card has exactly one boolean question'
  const paths = questions.map(({ field_key }) => field_key.split('.'))
  if (new Set(questions.map(({ field_key }) => field_key)).size < paths.length)
    return 'two questions have the same field_key'
  const outside = paths.find(
    ([owner, ...rest]) => owner !== skill.name || rest.some((name) => forbiddenKeys.has(name)),
  )
  return outside && `${outside.join('.')} is outside of the state of the skill`
}
