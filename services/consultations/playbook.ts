import * as z from 'zod'
import { omitKeyDeep } from '../_kit/deep-keys.ts'

/** `playbook_config` passes neither way, however deep it lies. */
export const stripPlaybook = <T>(value: T): T => omitKeyDeep(value, 'playbook_config')

/** A request's body: every endpoint of this service takes its own through this. */
export const bodySchema = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(stripPlaybook, schema)
