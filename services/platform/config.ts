import * as z from 'zod'
import { Json, Key, Time, Version } from '../_kit/fields.ts'

export const SystemConfig = z
  .object({
    key: z.string(),
    value: Json,
    description: z.string(),
    version: Version,
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'SystemConfig' })
export type SystemConfig = z.infer<typeof SystemConfig>

export const ByKey = z.object({ key: Key })

/** Any JSON, null as well, but something. */
export const Value = Json.refine((value) => value !== undefined, 'Required; null is a value too.')

export const Description = z.string().max(2_000)
