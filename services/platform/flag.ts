import * as z from 'zod'
import { ExternalId, Time, Version } from '../_kit/fields.ts'

const Rule = z.object({
  organization_ids: z.array(ExternalId).max(10_000).optional(),
  user_ids: z.array(ExternalId).max(10_000).optional(),
  percentage: z.number().min(0).max(100).optional(),
})

export const Rules = z
  .array(Rule)
  .max(100)
  .describe('The flag is on if any rule matches. A rule matches if all its members match.')

export const FeatureFlag = z
  .object({
    key: z.string(),
    enabled: z.boolean(),
    description: z.string(),
    rules: Rules,
    version: Version,
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'FeatureFlag' })
export type FeatureFlag = z.infer<typeof FeatureFlag>
