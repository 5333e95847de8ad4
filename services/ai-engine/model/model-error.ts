/**
 * Failure of a model call. The message contains neither the key nor the address nor text of the server.
 */
export class ModelError extends Error {
  override name = 'ModelError'
  /** Whether a retry may succeed. */
  readonly retryable: boolean
  /** `Retry-After` of the server. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, retryable: boolean, retryAfterMs?: number) {
    super(message)
    this.retryable = retryable
    this.retryAfterMs = retryAfterMs
  }
}

export const truncatedAnswer = () => new ModelError('The answer of the model was cut off.', true)
export const malformedAnswer = () => new ModelError('The model sent an invalid response.', true)
export const oversizedAnswer = () => new ModelError('The answer of the model is too large.', false)
