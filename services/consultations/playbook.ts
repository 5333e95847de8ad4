import * as z from 'zod'
import { omitKeyDeep } from '../_kit/deep-keys.ts'

/** Removes `playbook_config` at any depth, from requests and responses. */
export const stripPlaybook = <T>(value: T): T => omitKeyDeep(value, 'playbook_config')

/** Schema of a request body. Every endpoint of this service uses it for its body. */
export const bodySchema = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(stripPlaybook, schema)
