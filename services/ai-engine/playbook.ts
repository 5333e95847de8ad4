import * as z from 'zod'
import { Fault } from '../_kit/fault.ts'

/** The workbench knows no playbooks: one in the request, at whatever depth, is refused before anything runs. */
export const withoutPlaybook = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((body) => {
    if (holdsPlaybook(body)) {
      throw new Fault(
        'PLAYBOOK_CONFIG_REJECTED',
        'playbook_config is not taken: goals, phases and gates are part of the workflow. Leave it out.',
      )
    }
    return body
  }, schema)

function holdsPlaybook(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(holdsPlaybook)
  return Object.hasOwn(value, 'playbook_config') || Object.values(value).some(holdsPlaybook)
}
