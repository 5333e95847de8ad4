import * as z from 'zod'
import { JsonObject } from '../_kit/fields.ts'
import { Question, reviewTypes } from './card.ts'
import type { Model } from './model/model.ts'

/** What a skill wants to happen next. `ask_user` stops the run until the card is answered. */
export const Control = z.object({
  action: z.enum(['continue', 'ask_user']).default('continue'),
  review_type: z.enum(reviewTypes).default('clarify'),
  title: z.string().max(500).default(''),
  questions: z.array(Question).max(50).default([]),
  /** What the card rests on: kept with a hash, and given back with the answers exactly as it was shown. */
  basis: z.unknown().optional(),
  /** Whether the card can be dismissed without answers. Default: true if no question is required. */
  skippable: z.boolean().optional(),
  /** Time until the card expires. Default: it does not expire. */
  expires_in_seconds: z.int().min(1).max(31_536_000).optional(),
  /** Action at the deadline: answer with the defaults, skip the card, or fail the run. */
  on_expiry: z.enum(['default', 'skip', 'fail']).default('skip'),
  /** User who is to answer. */
  assignee: z.string().min(1).max(200).optional(),
})
export type Control = z.input<typeof Control>

/** What is to be kept in the matter: the body of matter-service's sync/all, but for its key. */
export const Products = z.looseObject({
  title: z.string().optional(),
  matter_category: z.string().optional(),
  cause_of_action_code: z.string().optional(),
  profile: JsonObject.optional(),
  data: JsonObject.optional(),
  phases: z.array(JsonObject).optional(),
  todos: z.array(JsonObject).optional(),
  complete_todos: z.array(JsonObject).optional(),
  deliverables: z.array(JsonObject).optional(),
  facts: z.array(JsonObject).optional(),
})
export type Products = z.infer<typeof Products>

export interface AnsweredCard {
  card_id: string
  /** By field_key. */
  answers: Record<string, unknown>
  basis: unknown
  /** True if the card was dismissed: `answers` is empty, and the skill must not ask the same again. */
  skipped: boolean
}

/** A tool, bound to the run's tenant: it takes what its schema allows and gives data. */
export type Tool = (input: unknown) => Promise<unknown>

export interface SkillContext<Inputs> {
  inputs: Inputs
  /** The skill's own part of the state: what it put out before, and answers to its cards. */
  state: Record<string, unknown>
  /** The card it asked last, when this run answers it. */
  answered: AnsweredCard | null
  /** Null when no model is configured: a normal way to run. */
  model: Model | null
  /** The text of SKILL.md: what a model is told. */
  instructions: string
  /** Those that SKILL.md lists, by name. */
  tools: Record<string, Tool>
  /** Words for the person who asked, as they come. */
  emitText(text: string): void
  /** What was said is void, and will be said again from its beginning. */
  discardText(): void
  progress(message: string, percent?: number): void
  signal: AbortSignal
  /** The day it is, as YYYY-MM-DD. */
  today: string
}

export interface SkillResult<Output> {
  /** Becomes the skill's part of the state, member by member; what its schema does not name is dropped. */
  output: Output
  control?: Control
  products?: Products
  /** The words a person is to read; the last skill's are the run's output. */
  reply?: string
}

/** The code of a skill; its SKILL.md stands beside it and names the same inputs and outputs. */
// biome-ignore lint/suspicious/noExplicitAny: a list of skills holds many shapes, each checked by its own schema.
export interface SkillCode<Inputs extends z.ZodObject = any, Outputs extends z.ZodObject = any> {
  /** Of the state: message, messages, file_ids, matter, memory, and other skills' parts by name. */
  inputs: Inputs
  outputs: Outputs
  run(context: SkillContext<z.output<Inputs>>): Promise<SkillResult<z.input<Outputs>>>
  /**
   * Converts the skill's state from an older version, so that a card of that version can be answered.
   * Returns undefined if it cannot; the resume is then refused.
   */
  migrate?(state: Record<string, unknown>, from: string): Record<string, unknown> | undefined
}

export const defineSkill = <Inputs extends z.ZodObject, Outputs extends z.ZodObject>(
  code: SkillCode<Inputs, Outputs>,
): SkillCode<Inputs, Outputs> => code

/** What SKILL.md says before its text. */
export const FrontMatter = z.object({
  name: z.string().regex(/^[a-z][a-z0-9_]{1,59}$/),
  title: z.string().min(1).max(100),
  /** Version of the code and of the skill's state. Default: 1. */
  version: z.coerce.string().min(1).max(40).default('1'),
  description: z.string().min(1).max(1_000),
  when_to_use: z.string().min(1).max(1_000),
  /** Name → one line that says what it is. */
  inputs: z.record(z.string(), z.string()),
  outputs: z.record(z.string(), z.string()),
  /** The phase whose gate it helps to open; without one it runs when it is asked for. */
  phase: z.enum(['intake', 'analysis', 'strategy', 'drafting', 'delivery']).optional(),
  /** Skills whose work must be done before this one can begin. */
  after: z.array(z.string()).default([]),
  tools: z.array(z.string()).default([]),
  internal: z.boolean().default(false),
  api_call_only: z.boolean().default(false),
})
export type FrontMatter = z.output<typeof FrontMatter>

export interface Skill extends FrontMatter {
  instructions: string
  code: SkillCode
}
