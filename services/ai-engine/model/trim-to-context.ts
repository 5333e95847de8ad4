import type { Message, ModelRequest } from './model.ts'
import { estimateInput, estimateTokens } from './tokens.ts'

/** Share of the context window that is reserved for the response. */
const answerShare = 0.25

/**
 * Drops the oldest messages of a conversation until the request fits the context window. The system
 * prompt, which holds the facts, and the last message of the person with what follows it stay.
 */
export function trimToContext(request: ModelRequest, contextTokens: number): ModelRequest {
  const toolTokens = estimateTokens(JSON.stringify([request.tools ?? [], request.schema ?? null]))
  const budget = contextTokens * (1 - answerShare) - toolTokens
  const { messages } = request
  const sizes = messages.map(countTokens)
  let total = sizes.reduce((sum, size) => sum + size, 0)
  if (total <= budget) return request
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  const kept = messages.filter((message, at) => {
    if (total <= budget || message.role === 'system' || at >= lastUser) return true
    total -= sizes[at]!
    return false
  })
  return { ...request, messages: withoutOrphans(kept) }
}

const countTokens = (message: Message) =>
  estimateInput([message]) + estimateTokens(JSON.stringify(message.tool_calls ?? []))

/** Servers reject a tool result without its call. */
function withoutOrphans(messages: Message[]): Message[] {
  const called = new Set(messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)))
  return messages.filter(({ role, tool_call_id }) => role !== 'tool' || called.has(tool_call_id!))
}
