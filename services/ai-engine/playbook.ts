import * as z from 'zod'
import { hasKeyDeep } from '../_kit/deep-keys.ts'
import { Fault } from '../_kit/fault.ts'

/** Rejects a request that contains playbook_config at any depth, before anything runs. */
export const rejectPlaybook = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((body) => {
    if (hasKeyDeep(body, 'playbook_config')) {
      throw new Fault(
        'PLAYBOOK_CONFIG_REJECTED',
        'playbook_config is not supported. Remove it: goals, phases and gates are part of the workflow.',
      )
    }
    return body
  }, schema)
