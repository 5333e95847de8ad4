import type { Matter } from '../_shared/inputs.ts'
import { asksForLetter, readMessage } from '../_shared/read-message.ts'
import { detectArea } from './area.ts'
import type { Recognition } from './cause.ts'
import type { Fields } from './fields.ts'
import type { WorkState } from './state.ts'

/** Category of the matter: of its cause, else of its area of law, else as it was. */
export function chooseCategory(
  fields: Fields,
  { causes }: Recognition,
  texts: string[],
  work: WorkState,
  matter: Matter,
): string {
  const text = texts.join('\n')
  const cause = causes.find(({ code }) => code === fields.cause_of_action_code)
  const isLetter = readMessage(text) === 'service' && asksForLetter(text)
  if (cause && !isLetter) return cause.matter_category ?? 'civil_litigation'
  const service = readMessage(text) === 'service' ? 'non_litigation' : undefined
  return (
    detectArea(text) ?? service ?? matter.matter_category ?? work.matter_category ?? 'consultation'
  )
}
