/** An error response of the API server. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: number
  readonly reason: string
  /** Milliseconds after which the server asks to retry. */
  readonly retryAfter: number | undefined

  constructor(code: number, reason: string, message: string, retryAfter?: number) {
    super(message)
    this.code = code
    this.reason = reason
    this.retryAfter = retryAfter
  }
}

/** A write that was not sent because another process may lead. */
export class FencedError extends Error {
  override name = 'FencedError'
}

const hasCode = (error: unknown, code: number) => error instanceof ApiError && error.code === code

export const isNotFound = (error: unknown) => hasCode(error, 404)
export const isConflict = (error: unknown) => hasCode(error, 409)
export const isInvalid = (error: unknown) => hasCode(error, 422)
/** The requested resource version or page is no longer available. */
export const isGone = (error: unknown) =>
  hasCode(error, 410) || (error instanceof ApiError && error.reason === 'Expired')
