import { makeAssembler } from './assembly.ts'
import { learnFeatures } from './features.ts'
import { idleTimeout, pause } from './idle-timeout.ts'
import { withoutImages } from './images.ts'
import type { Complete, ModelRequest, ModelResponse, StreamCallbacks } from './model.ts'
import { ModelError, truncatedResponse } from './model-error.ts'
import { readResponse } from './read-response.ts'
import { estimateInput, estimateTokens } from './tokens.ts'
import { allFeatures, type Endpoint, type Features, type Wire } from './wire.ts'

export interface ModelEndpoint extends Endpoint {
  /** Time without a byte after which the call fails. */
  silenceMs?: number
  /** Time limit of the call, retries and delays included. */
  timeoutMs?: number
  /** Delay before the first retry; it doubles with each retry. */
  backoffMs?: number
}

const maxAttempts = 3
const maxPauseMs = 10_000
/** Number of features that a server may refuse in one call. */
const maxDowngrades = 5

/** Calls a model in the wire format of its provider, with retries where they are safe. */
export function makeComplete(wire: Wire, options: ModelEndpoint): Complete {
  const { timeoutMs = 180_000, backoffMs = 300 } = options
  let features = allFeatures

  return async function complete(request, callbacks) {
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(new Error('deadline')), timeoutMs)
    const signal = AbortSignal.any([callbacks.signal, deadline.signal])
    let downgrades = 0
    try {
      for (let attempt = 1; ; ) {
        let emitted = false
        const onText = (words: string) => {
          emitted = true
          callbacks.onText?.(words)
        }
        try {
          return await completeOnce(wire, options, request, features, signal, onText)
        } catch (thrown) {
          callbacks.signal.throwIfAborted()
          if (!(thrown instanceof ModelError)) throw thrown
          const accepted = learnFeatures(features, thrown.refused, request)
          if (accepted && downgrades++ < maxDowngrades) {
            features = accepted
            continue
          }
          if (!thrown.retryable || attempt === maxAttempts) throw thrown
          await pause(retryDelayMs(thrown, attempt++, backoffMs), signal)
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
  wire: Wire,
  options: ModelEndpoint,
  request: ModelRequest,
  features: Features,
  signal: AbortSignal,
  onText: NonNullable<StreamCallbacks['onText']>,
): Promise<ModelResponse> {
  const idle = idleTimeout(options.silenceMs ?? 30_000, signal)
  const assembler = makeAssembler(onText)
  const accepted = features.images ? request : withoutImages(request)
  try {
    const response = await send(wire.buildCall(options, accepted, features), idle.signal)
    idle.reset()
    if (!response.ok || !response.body) throw await refusalError(response)
    await readResponse(response, assembler, wire.takeEvent, idle.reset)
  } catch (thrown) {
    // After the text only the token usage is missing.
    if (!assembler.isComplete() || signal.aborted) throw toModelError(thrown, idle.silent())
  } finally {
    idle.stop()
  }
  if (!assembler.isComplete()) throw truncatedResponse()
  const { usage, ...answer } = assembler.answer()
  const toolCallText = answer.tool_calls.map((call) => call.name + call.arguments).join('')
  return {
    ...answer,
    model: options.model,
    input_tokens: usage?.input_tokens ?? estimateInput(request.messages),
    output_tokens: usage?.output_tokens ?? estimateTokens(answer.text + toolCallText),
    ...(usage?.cached_tokens !== undefined && { cached_tokens: usage.cached_tokens }),
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

const send = ({ url, headers, body }: ReturnType<Wire['buildCall']>, signal: AbortSignal) =>
  fetch(url, {
    method: 'POST',
    signal,
    // Redirects are not followed, so the key is sent to the configured address only.
    redirect: 'manual',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify(body),
  })

/** Characters of a refusal that are searched for the name of a feature. */
const maxRefusalChars = 4_096

async function refusalError(response: Response): Promise<ModelError> {
  const { status } = response
  if (status === 400 || status === 422) {
    const text = (await response.text().catch(() => '')).slice(0, maxRefusalChars)
    return new ModelError(
      `The model server rejects the request (${status}).`,
      false,
      undefined,
      text,
    )
  }
  await response.body?.cancel()
  if (status === 429) {
    const wait = parseRetryAfterMs(response.headers.get('retry-after'))
    return new ModelError('The model server limits the request rate.', true, wait)
  }
  if (status >= 500) return new ModelError(`The model server failed (${status}).`, true)
  if (status === 401 || status === 403)
    return new ModelError('The model server rejects the API key.', false)
  return new ModelError(`The model server rejects the request (${status}).`, false)
}

/** Parses `Retry-After`: seconds or a date. */
function parseRetryAfterMs(header: string | null): number | undefined {
  if (!header) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

/** Throws if the API is not reachable. A server without a model list passes. */
export async function checkModel(wire: Wire, endpoint: Endpoint): Promise<void> {
  const { url, headers } = wire.buildCheck(endpoint)
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(2_000) })
  await response.body?.cancel()
  if (response.status >= 500)
    throw new ModelError(`The model server responded with ${response.status}.`, true)
}
