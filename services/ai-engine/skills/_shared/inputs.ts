import * as z from 'zod'
import { JsonObject } from '../../../_kit/fields.ts'

/** What skills read of the state. What is not there is empty, never a fault. */

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

/** matter-service's workflow profile, as far as it is known. */
export const Matter = z
  .looseObject({
    status: z.string().nullish(),
    matter_category: z.string().nullish(),
    cause_of_action_code: z.string().nullish(),
    profile: JsonObject.nullish(),
    phases: z.array(z.looseObject({ phase_id: z.string(), status: z.string() })).nullish(),
    todos: z.array(z.looseObject({ todo_key: z.string(), status: z.string() })).nullish(),
  })
  .nullish()
  .transform((matter) => matter ?? {})
export type Matter = z.output<typeof Matter>

/** Another skill's part of the state. */
export const SkillState = JsonObject.nullish().transform((state) => state ?? {})

const Fact = z.looseObject({ entity_key: z.string().default(''), content: z.string() })
export type Fact = z.output<typeof Fact>

/** The facts in what memory-service gave, whether as a list or sorted into lists. */
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

/** What the person wrote, oldest first, the present message included once. */
export function personTexts(messages: z.output<typeof Messages>, message: string): string[] {
  const texts = messages
    .filter(({ role }) => role.toLowerCase() === 'user')
    .map(({ content }) => content)
  return message === '' || texts.at(-1) === message ? texts : [...texts, message]
}
