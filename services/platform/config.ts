import * as z from 'zod'
import { Json, Time, Version } from '../_kit/fields.ts'

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

/** Any JSON value, null included. The member is required. */
export const Value = Json.refine((value) => value !== undefined, 'Required. Null is a valid value.')
