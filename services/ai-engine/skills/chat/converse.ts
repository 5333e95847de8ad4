import * as z from 'zod'
import { fencedJson } from '../../model/fence.ts'
import type { Message } from '../../model/model.ts'
import type { Fact, Matter } from '../_shared/inputs.ts'
import type { Language } from '../_shared/language.ts'
import { elementLine, type LegalElement, type Passage } from '../_shared/law.ts'

interface PromptMaterial {
  instructions: string
  language: Language
  today: string
  matter: Matter
  memory: Fact[]
  file_ids: string[]
  intake: Record<string, unknown>
  summary: Record<string, unknown>
  law: { elements: LegalElement[]; passages: Passage[] }
}

/** Builds the system prompt: instructions and material. */
export function systemPrompt(material: PromptMaterial): string {
  const { instructions, language, today, matter, memory, file_ids, intake, summary, law } = material
  const facts = memory.slice(0, 30).map(({ entity_key, content }) => ({ entity_key, content }))
  return [
    instructions,
    `Today is ${today}. Answer in ${language === 'zh' ? 'Chinese' : 'English'}.`,
    fencedJson('matter', matter, 6_000),
    fencedJson('intake', intake, 6_000),
    ...(summary.summary ? [fencedJson('case_summary', summary.summary, 6_000)] : []),
    ...(law.elements.length > 0
      ? [
          fencedJson(
            'what_has_to_be_proved',
            law.elements.map((one) => elementLine(one, 'zh')),
            6_000,
          ),
        ]
      : []),
    ...(law.passages.length > 0 ? [fencedJson('law_on_file', law.passages, 8_000)] : []),
    ...(facts.length > 0 ? [fencedJson('memory', facts, 6_000)] : []),
    ...(file_ids.length > 0 ? [fencedJson('file_ids', file_ids.slice(-50))] : []),
  ].join('\n\n')
}

const limits = { messages: 20, characters: 24_000 }

/** Selects the last messages within the limits; the last one is the present message. */
export function conversation(
  messages: { role: string; content: string }[],
  message: string,
): Message[] {
  const dialogue = messages.map(
    ({ role, content }): Message => ({
      role: role.toLowerCase() === 'user' ? 'user' : 'assistant',
      content,
    }),
  )
  const last = dialogue.at(-1)
  if (message !== '' && !(last?.role === 'user' && last.content === message)) {
    dialogue.push({ role: 'user', content: message })
  }
  let remainingChars = limits.characters
  const selected: Message[] = []
  for (const each of dialogue.slice(-limits.messages).reverse()) {
    if (selected.length > 0 && each.content.length > remainingChars) break
    remainingChars -= each.content.length
    selected.unshift({ ...each, content: each.content.slice(0, limits.characters) })
  }
  return selected
}

const RecallResult = z.object({
  facts: z.array(z.looseObject({ entity_key: z.string(), content: z.string() })),
})

/** Parses recalled facts; undefined if recall failed. */
export const parseRecall = (result: unknown): Fact[] | undefined =>
  RecallResult.safeParse(result).data?.facts
