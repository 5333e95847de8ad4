/**
 * Failure of a model call. The message contains neither the key nor the address nor text of the server.
 */
export class ModelError extends Error {
  override name = 'ModelError'
  /** Whether a retry may succeed. */
  readonly retryable: boolean
  /** `Retry-After` of the server. */
  readonly retryAfterMs: number | undefined
  /** Text of a refused request, to learn what the server does not accept. Never shown or logged. */
  declare readonly refused: string | undefined

  constructor(message: string, retryable: boolean, retryAfterMs?: number, refused?: string) {
    super(message)
    this.retryable = retryable
    this.retryAfterMs = retryAfterMs
    Object.defineProperty(this, 'refused', { value: refused, enumerable: false })
  }
}

export const truncatedResponse = () => new ModelError("The model's response was cut off.", true)
export const malformedResponse = () => new ModelError('The model sent an invalid response.', true)
export const oversizedResponse = () => new ModelError("The model's response is too large.", false)
