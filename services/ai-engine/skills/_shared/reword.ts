import * as z from 'zod'
import { fencedJson } from '../../model/fence.ts'
import type { Model } from '../../model/model.ts'
import { isGrounded } from './grounded.ts'
import type { Language } from './language.ts'

const Rewording = z.object({
  texts: z.array(z.object({ id: z.string(), text: z.string().min(1).max(2_000) })).max(100),
})

/**
 * Lets a model word texts better. A wording with a number or a law that the original does not have is
 * dropped. Undefined if the model gives no valid reply.
 */
export async function reword(
  texts: Record<string, string>,
  language: Language,
  model: Model,
  name: string,
  system: string,
): Promise<Record<string, string> | undefined> {
  const reply = await model.object(Rewording, {
    name,
    system: `${system}\n\nWrite in ${language === 'zh' ? 'Chinese' : 'English'}.`,
    prompt: `Word each text for this case. Keep the ids.\n${fencedJson('texts', texts)}`,
  })
  if (!reply) return undefined
  const accepted = reply.texts.filter(
    ({ id, text }) => texts[id] !== undefined && isGrounded(text, texts[id]),
  )
  return { ...texts, ...Object.fromEntries(accepted.map(({ id, text }) => [id, text])) }
}
