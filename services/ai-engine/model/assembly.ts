import * as z from 'zod'
import type { ToolCall } from './model.ts'
import { malformedAnswer, oversizedAnswer, truncatedAnswer } from './model-error.ts'

/** Limits of one answer; `characters` includes the arguments of tool calls. */
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

/** A chunk of a stream, or the complete answer of a server that does not stream. */
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

/** Removes NUL and lone surrogates. Holds back the first half of a surrogate pair until the second arrives. */
function makeTextSanitizer() {
  let half = ''
  return (piece: string) => {
    const words = half + piece.replaceAll('\0', '')
    half = /[\ud800-\udbff]$/.test(words) ? words.slice(-1) : ''
    return words.slice(0, words.length - half.length).toWellFormed()
  }
}

/** Assembles an answer from the chunks of a stream. */
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
    // A server without call indexes sends each call complete, with its own id.
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
    /** Takes the data of one event. */
    take(data: string) {
      if (data === '[DONE]') {
        ended = true
        return
      }
      const chunk = Chunk.safeParse(parseJson(data))
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

    /** True after the end marker. */
    ended: () => ended,
    /** True if the answer is complete; the usage may still follow. */
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

function parseJson(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    throw malformedAnswer()
  }
}
