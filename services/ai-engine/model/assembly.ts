import type { ToolCall } from './model.ts'
import { malformedResponse, oversizedResponse } from './model-error.ts'
import { makeThinkingFilter } from './thinking.ts'

/** Limits of one response; `characters` includes the arguments of tool calls. */
const limits = { characters: 1_000_000, calls: 64 }

export interface Usage {
  input_tokens: number
  output_tokens: number
  /** Input tokens that the server had cached. */
  cached_tokens?: number
}

/** Part of a tool call. Without an index, a part with an id starts a new call. */
export interface ToolCallPart {
  index?: number | null | undefined
  id?: string | null | undefined
  name?: string | null | undefined
  arguments?: string | null | undefined
}

/** Removes NUL and lone surrogates. Holds back the first half of a surrogate pair until the second arrives. */
function makeTextSanitizer() {
  let half = ''
  return (piece: string) => {
    const words = half + piece.replaceAll('\0', '')
    half = /[\ud800-\udbff]$/.test(words) ? words.slice(-1) : ''
    return words.slice(0, words.length - half.length).toWellFormed()
  }
}

export type Assembler = ReturnType<typeof makeAssembler>

/** Assembles a response from the parts that a wire format reads. Reasoning output is dropped. */
export function makeAssembler(onText: (words: string) => void) {
  const calls: ToolCall[] = []
  /** Positions of the calls by their index on the wire. */
  const positions = new Map<number, number>()
  const sanitize = makeTextSanitizer()
  const thinking = makeThinkingFilter()
  let text = ''
  let unread = ''
  let size = 0
  let finish = ''
  let ended = false
  let usage: Usage | null = null

  function count(piece: string) {
    size += piece.length
    if (size > limits.characters) throw oversizedResponse()
  }

  function emit(words: string) {
    text += words
    if (words !== '') onText(words)
  }

  function flush() {
    if (unread === '') return
    const words = unread
    unread = ''
    emit(thinking.take(sanitize(words)))
  }

  /** Some servers send no index, or one index for all calls: there a new id starts a new call. */
  function positionOf(index: number | null | undefined, id: string | null | undefined): number {
    if (index == null) return id || calls.length === 0 ? calls.length : calls.length - 1
    const known = positions.get(index) ?? index
    const isOther = id && calls[known]?.id && calls[known].id !== id
    const at = isOther ? calls.length : known
    positions.set(index, at)
    return at
  }

  return {
    addText(content: string) {
      count(content)
      unread += content
    },

    /** Emits the added text. Called once per chunk of the network, so that words that arrive together stay together. */
    flush,

    addToolCall({ index, id, name, arguments: input }: ToolCallPart) {
      const at = positionOf(index, id)
      if (at >= limits.calls || at > calls.length) throw malformedResponse()
      const call = calls[at] ?? { id: '', name: '', arguments: '' }
      calls[at] = call
      count(`${id ?? ''}${name ?? ''}${input ?? ''}`)
      call.id ||= id ?? ''
      // Some servers repeat the name with every part.
      if (name !== call.name) call.name += name ?? ''
      call.arguments += input ?? ''
    },

    /** `length` if the response was truncated at the token limit, `tool_calls`, or `stop`. */
    setFinish(reason: string) {
      finish = reason
    },
    setUsage(counts: Partial<Usage>) {
      usage = { input_tokens: 0, output_tokens: 0, ...usage, ...counts }
    },
    end() {
      ended = true
    },

    /** True after the end marker. */
    ended: () => ended,
    /** True if the response is complete; the usage may still follow. */
    isComplete: () => ended || finish !== '',

    answer() {
      flush()
      emit(thinking.rest())
      return {
        text,
        tool_calls: calls.map(({ id, name, arguments: text }, at) => ({
          id: clean(id) || `call_${at}`,
          name: clean(name),
          arguments: clean(text),
        })),
        finish: finish || 'stop',
        usage,
      }
    },
  }
}

const clean = (text: string) => text.replaceAll('\0', '').toWellFormed()
