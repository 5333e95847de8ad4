import * as z from 'zod'
import { omitKeyDeep } from '../_kit/deep-keys.ts'
import { Json, JsonObject } from '../_kit/fields.ts'

/** `playbook_id` was retired: it neither comes in nor goes out, at any depth, whatever was stored. */
export const stripPlaybook = <T>(value: T): T => omitKeyDeep(value, 'playbook_id')

/** A request's body: every endpoint of this service takes its own through this. */
export const bodySchema = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(stripPlaybook, schema)

/** JSON as it is read from the database, or from another service. */
export const StoredJson = Json.overwrite(stripPlaybook)
export const StoredObject = JsonObject.overwrite(stripPlaybook)
