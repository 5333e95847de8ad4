import * as z from 'zod'
import type { CauseElement } from '../../cause-tools.ts'
import { fenceData } from '../../model/fence.ts'
import type { Model } from '../../model/model.ts'
import { isGrounded } from '../_shared/grounded.ts'
import type { Language } from '../_shared/language.ts'
import { occursIn } from '../_shared/quotes.ts'
import type { Link } from './link-elements.ts'
import { type Weakness, weaknessCodes } from './weaknesses.ts'

/** Passages that address the reader instead of stating facts. They are no evidence and no wording. */
const instructionPattern =
  /忽略|无视|指示|指令|要件|认定(?:为|全部)|ignore|disregard|instruction|\bproven\b|you (?:must|should|are)/iu

/** Reading of a document by a model, checked against the document. */
export interface ModelReading {
  /** Undefined if the wording names something that the document does not, or repeats an instruction. */
  proves: string | undefined
  links: Link[]
  weaknesses: Weakness[]
}

/**
 * Reads a document by a model. A link counts only with a quote that occurs in the document to the letter.
 * Undefined if the model gives no valid reply.
 */
export async function readByModel(
  text: string,
  elements: CauseElement[],
  language: Language,
  model: Model,
  system: string,
): Promise<ModelReading | undefined> {
  const ids = elements.map(({ element_id }) => element_id)
  if (ids.length === 0) return undefined
  const Reading = z.object({
    proves: z.string().min(1).max(1_000),
    links: z.array(z.object({ element_id: z.string(), quote: z.string() })).max(30),
    weaknesses: z.array(z.enum(weaknessCodes as [Weakness, ...Weakness[]])).max(7),
  })
  const list = elements.map(
    ({ element_id, name, description }) => `${element_id}: ${name}. ${description}`,
  )
  const reply = await model.object(Reading, {
    name: 'evidence_analysis',
    system: `${system}\n\nWrite in ${language === 'zh' ? 'Chinese' : 'English'}.\n\nElements:\n${list.join('\n')}\n\nWeaknesses: ${weaknessCodes.join(', ')}`,
    prompt: `What does this document prove?\n${fenceData('document', text.slice(0, 20_000))}`,
  })
  if (!reply) return undefined
  return {
    proves:
      isGrounded(reply.proves, text) && !instructionPattern.test(reply.proves)
        ? reply.proves
        : undefined,
    links: reply.links
      .filter(
        ({ element_id, quote }) =>
          ids.includes(element_id) && occursIn(quote, text) && !instructionPattern.test(quote),
      )
      .map(({ element_id, quote }) => ({ element_id, quote: quote.trim() })),
    weaknesses: reply.weaknesses.filter((code) => code !== 'unreadable' && code !== 'truncated'),
  }
}
