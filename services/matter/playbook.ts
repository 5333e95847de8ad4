import * as z from 'zod'
import { omitKeyDeep } from '../_kit/deep-keys.ts'
import { Json, JsonObject } from '../_kit/fields.ts'

/** Removes the retired field `playbook_id` at any depth, from requests and from stored data. */
export const stripPlaybook = <T>(value: T): T => omitKeyDeep(value, 'playbook_id')

/** Schema of a request body. Every endpoint of this service wraps its body schema in it. */
export const bodySchema = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(stripPlaybook, schema)

/** JSON read from the database or from another service. */
export const StoredJson = Json.overwrite(stripPlaybook)
export const StoredObject = JsonObject.overwrite(stripPlaybook)
