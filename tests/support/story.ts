import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as z from 'zod'

/** Answers by field_key. Every other question is answered with "I don't know". */
const Answers = z.record(z.string(), z.unknown())

const Turns = z.array(
  z.strictObject({
    message: z.string(),
    files: z.array(z.string()).default([]),
    /** Answers that differ from those of the story in this turn. */
    answers: Answers.default({}),
  }),
)

/** A conversation as data: what the person says, uploads and answers, and what must come out. */
export const Story = z.strictObject({
  name: z.string(),
  language: z.enum(['zh', 'en']),
  /** Members of the matter when it is created, beside its title. */
  matter: z.record(z.string(), z.unknown()).default({}),
  turns: Turns,
  /** The same story told in another way. It ends the same. */
  variants: z.array(z.strictObject({ name: z.string(), turns: Turns })).default([]),
  /** Whether files-service stores and parses the files. Default: they are parsed already. */
  upload: z.boolean().default(false),
  files: z.record(z.string(), z.strictObject({ filename: z.string(), text: z.string() })),
  answers: Answers,
  expect: z.strictObject({
    cause_of_action_code: z.string().nullable(),
    matter_category: z.string().optional(),
    proven: z.array(z.string()).default([]),
    /** Claims with their amounts; null for a claim that is not about money. */
    claims: z.record(z.string(), z.number().nullable()).default({}),
    deliverables: z.array(z.string()),
    /** Texts that each document contains. */
    texts: z.record(z.string(), z.array(z.string())),
    /** Texts that a document must not contain, such as articles for other cases. */
    not_texts: z.record(z.string(), z.array(z.string())).default({}),
    /** Fields that no card asks, because a message or a file answers them. */
    not_asked: z.array(z.string()).default([]),
  }),
})
export type Story = z.output<typeof Story>

const directory = resolve('tests/stories')

export const loadStories = (): Story[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => Story.parse(JSON.parse(readFileSync(resolve(directory, name), 'utf8'))))

/** Answers to the questions of a card. */
export const buildAnswers = (
  answers: Record<string, unknown>,
  card: { questions: { field_key: string }[] },
) => ({
  answers: card.questions.map(({ field_key }) =>
    Object.hasOwn(answers, field_key)
      ? { field_key, value: answers[field_key] }
      : { field_key, value: null, unknown: true },
  ),
})
