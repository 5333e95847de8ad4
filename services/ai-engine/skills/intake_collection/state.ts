import * as z from 'zod'
import { PendingFigure } from './confirm.ts'
import { Contradiction } from './contradictions.ts'
import { fieldKeys, fieldSchemas } from './fields.ts'

const FoundBys = z.record(z.string(), z.enum(['answer', 'matter', 'file', 'rules', 'model']))
const LanguageCode = z.enum(['zh', 'en'])
const BilingualName = z.object({ zh: z.string(), en: z.string() })
const readings = ['case', 'question', 'small_talk', 'service'] as const

/** State of the skill beside the fields. */
export const WorkState = z.object({
  complete: z.boolean().default(false).catch(false),
  read: z.int().min(0).default(0).catch(0),
  read_files: z.array(z.string()).default([]).catch([]),
  service_type_id: z.string().optional().catch(undefined),
  language: LanguageCode.optional().catch(undefined),
  reading: z.enum(readings).optional().catch(undefined),
  matter_category: z.string().optional().catch(undefined),
  found_by: FoundBys.default({}).catch({}),
  cause_name: BilingualName.nullish().catch(null),
  quotes: z.record(z.string(), z.string()).default({}).catch({}),
  unconfirmed: z.array(PendingFigure).default([]).catch([]),
  contradictions: z.array(Contradiction).default([]).catch([]),
  asked: z.array(z.string()).default([]).catch([]),
  synced: z.record(z.string(), z.int()).default({}).catch({}),
})

export type WorkState = z.output<typeof WorkState>

const collected = z.object(fieldSchemas).partial().shape

export const Outputs = z.object({
  complete: z.boolean(),
  missing: z.array(z.string()),
  matter_category: z.string(),
  service_type_id: z.string().optional(),
  language: LanguageCode,
  reading: z.enum(readings),
  read: z.int(),
  read_files: z.array(z.string()),
  found_by: FoundBys,
  cause_name: BilingualName.nullable(),
  details: z.record(z.string(), z.unknown()),
  quotes: z.record(z.string(), z.string()),
  unconfirmed: z.array(PendingFigure),
  contradictions: z.array(Contradiction),
  asked: z.array(z.string()),
  open_questions: z.array(z.string()),
  synced: z.record(z.string(), z.int()),
  ...(Object.fromEntries(fieldKeys.map((key) => [key, collected[key].nullable()])) as {
    [Key in keyof typeof collected]: z.ZodNullable<(typeof collected)[Key]>
  }),
})
