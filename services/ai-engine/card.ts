import * as z from 'zod'
import { Id, Time } from '../_kit/fields.ts'

export const inputTypes = [
  'text',
  'textarea',
  'number',
  'money',
  'date',
  'boolean',
  'select',
  'multi_select',
  'file',
] as const

const CardOption = z.object({
  value: z.string().min(1).max(200),
  label: z.string().min(1).max(500),
})

export const Question = z
  .object({
    question: z.string().min(1).max(2_000),
    field_key: z
      .string()
      .regex(/^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)+$/)
      .max(300)
      .describe('Dotted path in the state where the answer is stored.'),
    input_type: z.enum(inputTypes),
    required: z.boolean(),
    options: z.array(CardOption).min(1).max(100).optional(),
    default: z.unknown().optional(),
    help: z.string().max(2_000).optional(),
  })
  .meta({ id: 'Question' })
export type Question = z.infer<typeof Question>

export const reviewTypes = ['clarify', 'select', 'confirm', 'phase_done'] as const

/** Questions to a person. */
export const Card = z
  .object({
    card_id: Id,
    review_type: z.enum(reviewTypes),
    title: z.string().max(500),
    questions: z.array(Question).min(1).max(50),
    skippable: z
      .boolean()
      .optional()
      .describe('True if the card can be dismissed without answers. Default: false.'),
    expires_at: Time.optional().describe('Deadline. Default: none.'),
    on_expiry: z
      .enum(['default', 'skip', 'fail'])
      .optional()
      .describe(
        'Action at the deadline: answer with the defaults, skip the card, or fail the run.',
      ),
    reminders: z
      .array(Time)
      .optional()
      .describe('Times at which the person is reminded. Default: none.'),
    assignee: z
      .string()
      .optional()
      .describe('User who is to answer. Others than people who manage the matter are refused.'),
    graph_version: z.string().optional(),
    skill_version: z.string().optional(),
  })
  .meta({ id: 'Card' })
export type Card = z.infer<typeof Card>
