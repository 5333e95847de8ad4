import { makeAssembler } from './assembly.ts'
import { idleTimeout, pause } from './idle-timeout.ts'
import type { Complete, Message, ModelAnswer, ModelRequest, StreamCallbacks } from './model.ts'
import { ModelError, truncatedAnswer } from './model-error.ts'
import { readResponse } from './read-response.ts'
import { estimateInput, estimateTokens } from './tokens.ts'

export interface OpenAi {
  /** Base URL with the version: `https://api.openai.com/v1`. */
  baseUrl: string
  apiKey?: string | undefined
  model: string
  /** Time without a byte after which the call fails. */
  silenceMs?: number
  /** Time limit of the call, retries and delays included. */
  timeoutMs?: number
  /** Delay before the first retry; it doubles with each retry. */
  backoffMs?: number
}

const maxAttempts = 3
const maxPauseMs = 10_000

/** Calls a model through an OpenAI-compatible API. */
export function openAiComplete(options: OpenAi): Complete {
  const { timeoutMs = 180_000, backoffMs = 300 } = options

  return async function complete(request, callbacks) {
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(new Error('deadline')), timeoutMs)
    const signal = AbortSignal.any([callbacks.signal, deadline.signal])
    try {
      for (let attempt = 1; ; attempt++) {
        let emitted = false
        const onText = (words: string) => {
          emitted = true
          callbacks.onText?.(words)
        }
        try {
          return await completeOnce(options, request, signal, onText)
        } catch (thrown) {
          callbacks.signal.throwIfAborted()
          if (!(thrown instanceof ModelError) || !thrown.retryable || attempt === maxAttempts)
            throw thrown
          await pause(retryDelayMs(thrown, attempt, backoffMs), signal)
          if (emitted) callbacks.onRestart?.()
        }
      }
    } catch (thrown) {
      callbacks.signal.throwIfAborted()
      if (deadline.signal.aborted) throw new ModelError('The model exceeded its time limit.', false)
      throw thrown
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Delay before a retry: `Retry-After` of the server or exponential back-off, limited. */
export const retryDelayMs = (
  { retryAfterMs }: Pick<ModelError, 'retryAfterMs'>,
  attempt: number,
  backoffMs: number,
) =>
  Math.min(
    maxPauseMs,
    Math.max(retryAfterMs ?? 0, backoffMs * 2 ** (attempt - 1) * (0.5 + Math.random())),
  )

async function completeOnce(
  options: OpenAi,
  request: ModelRequest,
  signal: AbortSignal,
  onText: NonNullable<StreamCallbacks['onText']>,
): Promise<ModelAnswer> {
  const idle = idleTimeout(options.silenceMs ?? 30_000, signal)
  const assembler = makeAssembler(onText)
  try {
    const response = await send(options, request, idle.signal)
    idle.reset()
    if (!response.ok || !response.body) throw await refusalError(response)
    await readResponse(response, assembler, idle.reset)
  } catch (thrown) {
    // After the text only the token usage is missing.
    if (!assembler.isComplete() || signal.aborted) throw toModelError(thrown, idle.silent())
  } finally {
    idle.stop()
  }
  if (!assembler.isComplete()) throw truncatedAnswer()
  const { usage, ...answer } = assembler.answer()
  const toolCallText = answer.tool_calls.map((call) => call.name + call.arguments).join('')
  return {
    ...answer,
    model: options.model,
    input_tokens: usage?.prompt_tokens ?? estimateInput(request.messages),
    output_tokens: usage?.completion_tokens ?? estimateTokens(answer.text + toolCallText),
    ...(!usage && { estimated: true }),
  }
}

function toModelError(thrown: unknown, silent: boolean): unknown {
  if (thrown instanceof ModelError) return thrown
  return new ModelError(
    silent ? 'The model stopped responding.' : 'The model server is not reachable.',
    true,
  )
}

function send(options: OpenAi, request: ModelRequest, signal: AbortSignal): Promise<Response> {
  const { messages, tools = [], schema, temperature, max_tokens } = request
  return fetch(`${options.baseUrl.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    signal,
    // Redirects are not followed, so the key is sent to the configured address only.
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...(options.apiKey && { authorization: `Bearer ${options.apiKey}` }),
    },
    body: JSON.stringify({
      model: options.model,
      messages: messages.map(toWireMessage),
      stream: true,
      stream_options: { include_usage: true },
      ...(tools.length > 0 && {
        tools: tools.map((tool) => ({ type: 'function', function: tool })),
      }),
      ...(schema && { response_format: { type: 'json_schema', json_schema: schema } }),
      temperature,
      max_tokens,
    }),
  })
}

const toWireMessage = ({ tool_calls, ...message }: Message) => ({
  ...message,
  ...(tool_calls && {
    tool_calls: tool_calls.map(({ id, ...toolCallText }) => ({
      id,
      type: 'function',
      function: toolCallText,
    })),
  }),
})

async function refusalError(response: Response): Promise<ModelError> {
  await response.body?.cancel()
  const { status } = response
  if (status === 429) {
    const wait = retryAfterMs(response.headers.get('retry-after'))
    return new ModelError('The model server limits the request rate.', true, wait)
  }
  if (status >= 500) return new ModelError(`The model server failed (${status}).`, true)
  if (status === 401 || status === 403)
    return new ModelError('The model server rejects the API key.', false)
  return new ModelError(`The model server rejects the request (${status}).`, false)
}

/** Parses `Retry-After`: seconds or a date. */
function retryAfterMs(header: string | null): number | undefined {
  if (!header) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

/** Throws if the API is not reachable. A server without a model list passes. */
export async function checkModel({ baseUrl, apiKey }: OpenAi): Promise<void> {
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
    headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
    signal: AbortSignal.timeout(2_000),
  })
  await response.body?.cancel()
  if (response.status >= 500)
    throw new ModelError(`The model server responded with ${response.status}.`, true)
}
