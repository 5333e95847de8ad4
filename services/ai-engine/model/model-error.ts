/**
 * A model that can't be had, in words of our own: neither its key nor its address nor anything that its
 * server said is repeated.
 */
export class ModelError extends Error {
  override name = 'ModelError'
  /** Whether the same call may go well a moment later. */
  readonly retryable: boolean
  /** How long the server wants to be left alone. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, retryable: boolean, retryAfterMs?: number) {
    super(message)
    this.retryable = retryable
    this.retryAfterMs = retryAfterMs
  }
}

export const truncatedAnswer = () =>
  new ModelError('The model broke off in the middle of its answer.', true)
export const malformedAnswer = () => new ModelError('The model sent what is no answer.', true)
export const oversizedAnswer = () =>
  new ModelError('The model sent more than an answer can hold.', false)
