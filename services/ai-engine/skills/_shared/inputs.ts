import * as z from 'zod'
import { JsonObject } from '../../../_kit/fields.ts'
import { Facts } from '../../facts.ts'

/** Input schemas of skills. Missing members are empty, not errors. */

export const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? '')

export const Messages = z
  .array(z.looseObject({ role: z.string(), content: z.string() }))
  .nullish()
  .transform((messages) => messages ?? [])

export const FileIds = z
  .array(z.string())
  .nullish()
  .transform((ids) => ids ?? [])

/** Workflow profile of matter-service; all members are optional. */
export const Matter = z
  .looseObject({
    status: z.string().nullish(),
    matter_category: z.string().nullish(),
    cause_of_action_code: z.string().nullish(),
    service_type_id: z.string().nullish(),
    profile: JsonObject.nullish(),
    phases: z.array(z.looseObject({ phase_id: z.string(), status: z.string() })).nullish(),
    todos: z.array(z.looseObject({ todo_key: z.string(), status: z.string() })).nullish(),
  })
  .nullish()
  .transform((matter) => matter ?? {})
export type Matter = z.output<typeof Matter>

/** Facts that the skills share. */
export const SharedFacts = Facts.nullish().transform((facts) => facts ?? {})

/** State of another skill. */
export const SkillState = JsonObject.nullish().transform((state) => state ?? {})

const Fact = z.looseObject({ entity_key: z.string().default(''), content: z.string() })
export type Fact = z.output<typeof Fact>

/** Collects facts from a response of memory-service, flat or grouped. */
export const Memory = z
  .unknown()
  .optional()
  .transform((memory) => factsIn(memory, 6))

function factsIn(value: unknown, depth: number): Fact[] {
  if (depth === 0 || typeof value !== 'object' || value === null) return []
  const fact = Fact.safeParse(value)
  if (fact.success) return [fact.data]
  return Object.values(value).flatMap((each) => factsIn(each, depth - 1))
}

/** Texts of the person, oldest first, with the present message once. */
export function personTexts(messages: z.output<typeof Messages>, message: string): string[] {
  const texts = messages
    .filter(({ role }) => role.toLowerCase() === 'user')
    .map(({ content }) => content)
  return message === '' || texts.at(-1) === message ? texts : [...texts, message]
}
