import * as z from 'zod'
import type { ToolCall } from './model.ts'
import { malformedAnswer, oversizedAnswer, truncatedAnswer } from './model-error.ts'

/** What an answer may hold, words and arguments of tools together. */
const limits = { characters: 1_000_000, calls: 64 }

const Call = z.object({
  index: z.int().min(0).nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
})

const Delta = z.object({
  content: z.string().nullish(),
  tool_calls: z.array(Call).nullish(),
})

const Count = z.int().min(0).max(1_000_000_000)
const Usage = z.object({ prompt_tokens: Count, completion_tokens: Count })

/** A piece of a stream, or a whole answer from a server that does not stream. */
const Chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: Delta.nullish(),
        message: Delta.nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: Usage.nullish().catch(null),
  error: z.unknown().optional(),
})

/** Words without what no text may hold; a character that was cut in two waits for its other half. */
function makeTextSanitizer() {
  let half = ''
  return (piece: string) => {
    const words = half + piece.replaceAll('\0', '')
    half = /[\ud800-\udbff]$/.test(words) ? words.slice(-1) : ''
    return words.slice(0, words.length - half.length).toWellFormed()
  }
}

/** Puts an answer together from its pieces. */
export function makeAssembler(onText: (words: string) => void) {
  const calls: ToolCall[] = []
  const sanitize = makeTextSanitizer()
  let text = ''
  let size = 0
  let finish = ''
  let ended = false
  let usage: z.infer<typeof Usage> | null = null

  function count(piece: string) {
    size += piece.length
    if (size > limits.characters) throw oversizedAnswer()
  }

  function addToolCall({ index, id, function: called }: z.infer<typeof Call>) {
    // A server that numbers no calls sends each whole, with an id of its own.
    const at = index ?? (id || calls.length === 0 ? calls.length : calls.length - 1)
    if (at >= limits.calls || at > calls.length) throw malformedAnswer()
    const call = calls[at] ?? { id: '', name: '', arguments: '' }
    calls[at] = call
    count(`${id ?? ''}${called?.name ?? ''}${called?.arguments ?? ''}`)
    call.id ||= id ?? ''
    call.name += called?.name ?? ''
    call.arguments += called?.arguments ?? ''
  }

  return {
    /** The data of one event. */
    take(data: string) {
      if (data === '[DONE]') {
        ended = true
        return
      }
      const chunk = Chunk.safeParse(parsed(data))
      if (!chunk.success) throw malformedAnswer()
      if (chunk.data.error) throw truncatedAnswer()
      usage = chunk.data.usage ?? usage
      const choice = chunk.data.choices?.[0]
      const delta = choice?.delta ?? choice?.message
      if (delta?.content) {
        count(delta.content)
        const words = sanitize(delta.content)
        text += words
        if (words !== '') onText(words)
      }
      for (const call of delta?.tool_calls ?? []) addToolCall(call)
      finish = choice?.finish_reason ?? finish
    },

    /** Nothing more will come. */
    ended: () => ended,
    /** Nothing that is part of the answer is missing; its usage may be. */
    isComplete: () => ended || finish !== '',

    answer: () => ({
      text,
      tool_calls: calls.map(({ id, name, arguments: text }, at) => ({
        id: clean(id) || `call_${at}`,
        name: clean(name),
        arguments: clean(text),
      })),
      finish: finish || 'stop',
      usage,
    }),
  }
}

const clean = (text: string) => text.replaceAll('\0', '').toWellFormed()

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    throw malformedAnswer()
  }
}
