import * as z from 'zod'
import type { Host } from '../_kit/context.ts'
import { JsonObject } from '../_kit/fields.ts'
import { Question, reviewTypes } from './card.ts'
import type { Facts } from './facts.ts'
import type { Model } from './model/model.ts'
import { analysisKinds, DocumentUpload } from './store/effect.ts'

/** Next action of a skill. `ask_user` ends the run with a card. */
export const Control = z.object({
  action: z.enum(['continue', 'ask_user']).default('continue'),
  review_type: z.enum(reviewTypes).default('clarify'),
  title: z.string().max(500).default(''),
  questions: z.array(Question).max(50).default([]),
  /** Data that the card is based on. Stored with a hash and returned unchanged with the answers. */
  basis: z.unknown().optional(),
  /** Whether the card can be dismissed without answers. Default: true if no question is required. */
  skippable: z.boolean().optional(),
  /** Time until the card expires. Default: it does not expire. */
  expires_in_seconds: z.int().min(1).max(31_536_000).optional(),
  /** Action at the deadline: answer with the defaults, skip the card, or fail the run. */
  on_expiry: z.enum(['default', 'skip', 'fail']).default('skip'),
  /** Times after which the person is reminded while the card is pending. Default: none. */
  remind_after_seconds: z.array(z.int().min(1).max(31_536_000)).max(10).optional(),
  /** User who is to answer. */
  assignee: z.string().min(1).max(200).optional(),
})
export type Control = z.input<typeof Control>

/** Results for the matter: the body of matter-service's sync/all without its key. */
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

/** A part of the analysis for the matter: items, or one result. */
export const AnalysisOutput = z.object({
  kind: z.enum(analysisKinds),
  items: z.array(z.unknown()).optional(),
  result: JsonObject.optional(),
})
export type AnalysisOutput = z.input<typeof AnalysisOutput>

/** A document that is released: a deliverable of the matter with its file. */
export const DocumentOutput = DocumentUpload.omit({ user_id: true })
export type DocumentOutput = z.input<typeof DocumentOutput>

export interface AnsweredCard {
  card_id: string
  /** By field_key. */
  answers: Record<string, unknown>
  basis: unknown
  /** True if the card was dismissed: `answers` is empty, and the skill must not ask the same again. */
  skipped: boolean
}

/** A tool bound to the tenant of the run. */
export type Tool = (input: unknown) => Promise<unknown>

export interface SkillContext<Inputs> {
  inputs: Inputs
  /** The skill's own state: its earlier output and the answers to its cards. */
  state: Record<string, unknown>
  /** The skill's last card, if this run continues after it. */
  answered: AnsweredCard | null
  /** Null if no model is configured; skills must work without one. */
  model: Model | null
  /** Text of SKILL.md, for the model. */
  instructions: string
  /** Tools that SKILL.md declares, by name. */
  tools: Record<string, Tool>
  /** Emits text to the person. */
  emitText(text: string): void
  /** Discards the text emitted so far. The skill emits it again from the start. */
  discardText(): void
  progress(message: string, percent?: number): void
  signal: AbortSignal
  /** Current day as YYYY-MM-DD. */
  today: string
  /** Runtime of the process. workerd has no file system. */
  runtime: Host['runtime']
}

export interface SkillResult<Output> {
  /** Merged into the skill's state. Members outside of the output schema are dropped. */
  output: Output
  /** Facts that the skill found or corrected, by key. Merged into the facts that all skills share. */
  facts?: Facts
  control?: Control
  products?: Products
  /** Submitted to the matter. Parts that the skills of one pass return belong to one version. */
  analysis?: AnalysisOutput
  /** Stored in files-service and listed as deliverables. A new file makes a new version. */
  documents?: DocumentOutput[]
  /** Reply to the person. */
  reply?: string
}

/** Code of a skill. SKILL.md in the same folder declares the same inputs and outputs. */
// biome-ignore lint/suspicious/noExplicitAny: a list of skills holds many shapes, each checked by its own schema.
export interface SkillCode<Inputs extends z.ZodObject = any, Outputs extends z.ZodObject = any> {
  /** Members of the state: message, messages, file_ids, matter, memory, facts, and other skills by name. */
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

/** Front matter of SKILL.md. */
export const FrontMatter = z.object({
  name: z.string().regex(/^[a-z][a-z0-9_]{1,59}$/),
  title: z.string().min(1).max(100),
  /** Title for people who write Chinese. Default: title. */
  title_zh: z.string().min(1).max(100).optional(),
  /** Version of the code and of the skill's state. Default: 1. */
  version: z.coerce.string().min(1).max(40).default('1'),
  description: z.string().min(1).max(1_000),
  when_to_use: z.string().min(1).max(1_000),
  /** Description by name. */
  inputs: z.record(z.string(), z.string()),
  outputs: z.record(z.string(), z.string()),
  /** Phase of the skill. Without a phase it runs only on request. */
  phase: z.enum(['intake', 'analysis', 'strategy', 'drafting', 'delivery']).optional(),
  /** Skills that must be done before this one starts. */
  after: z.array(z.string()).default([]),
  /** Matters that the skill is meant for. All conditions must hold. Default: every matter. */
  applies_to: z
    .strictObject({
      categories: z.array(z.string()).min(1).optional(),
      /** Codes of causes of action. `any`: a cause that knowledge-service has. */
      causes: z.union([z.literal('any'), z.array(z.string()).min(1)]).optional(),
      service_types: z.array(z.string()).min(1).optional(),
    })
    .optional(),
  tools: z.array(z.string()).default([]),
  /** Whether the skill runs again when the person adds facts or files after its work is done. */
  rereads: z.boolean().default(false),
  internal: z.boolean().default(false),
  api_call_only: z.boolean().default(false),
})
export type FrontMatter = z.output<typeof FrontMatter>

export interface Skill extends FrontMatter {
  instructions: string
  code: SkillCode
}
