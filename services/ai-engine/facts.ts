import * as z from 'zod'

/** How a fact became known: an answer on a card, the matter, a file, rules or a model that read a message. */
export const factSources = ['answer', 'matter', 'file', 'rules', 'model'] as const
export type FactSource = (typeof factSources)[number]

/** A fact of the case. All skills share the facts; their keys are paths such as `private_lending.due_date`. */
export const Fact = z.object({
  /** Null: the person does not know. */
  value: z.unknown(),
  source: z.enum(factSources),
  /** Passage that the fact was found in. */
  quote: z.string().nullable(),
  /** From 0 to 1. */
  confidence: z.number().min(0).max(1),
  /** Whether the person stated or confirmed the fact itself, not only a text that it was read from. */
  confirmed: z.boolean(),
})
export type Fact = z.output<typeof Fact>

export const Facts = z.record(z.string(), Fact)
export type Facts = z.output<typeof Facts>

export const confidenceBySource: Record<FactSource, number> = {
  answer: 1,
  matter: 1,
  file: 0.9,
  rules: 0.8,
  model: 0.7,
}

/** Builds a fact. An answer and what the matter holds are confirmed. */
export const makeFact = (
  value: unknown,
  source: FactSource,
  quote: string | null = null,
): Fact => ({
  value,
  source,
  quote,
  confidence: confidenceBySource[source],
  confirmed: source === 'answer' || source === 'matter',
})

/** Members of a skill's state that hold the answers to its cards. */
const answerMembers = /^(?:answers|details)\./
/** Questions that confirm something and state no fact. */
const confirmation = /(?:^|_)confirmed$/

/**
 * Key of the fact that a question of a card asks for; undefined for a confirmation. A member of the state
 * cannot have a dot in its name, so `a__b` stands for `a.b`.
 */
export function factKey(field_key: string): string | undefined {
  const path = field_key.slice(field_key.indexOf('.') + 1).replace(answerMembers, '')
  return confirmation.test(path) ? undefined : path.replaceAll('__', '.')
}

/** Values by key. Facts that the person does not know are left out. */
export const factValues = (facts: Facts): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(facts)
      .filter(([, { value }]) => value != null)
      .map(([key, { value }]) => [key, value]),
  )
