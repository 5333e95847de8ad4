/** What the API server answered in place of what was asked for. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: number
  readonly reason: string
  /** Milliseconds after which the server wants to be asked again. */
  readonly retryAfter: number | undefined

  constructor(code: number, reason: string, message: string, retryAfter?: number) {
    super(message)
    this.code = code
    this.reason = reason
    this.retryAfter = retryAfter
  }
}

/** A write that was not sent, because another may lead by now. */
export class FencedError extends Error {
  override name = 'FencedError'
}

const hasCode = (error: unknown, code: number) => error instanceof ApiError && error.code === code

export const isNotFound = (error: unknown) => hasCode(error, 404)
export const isConflict = (error: unknown) => hasCode(error, 409)
export const isInvalid = (error: unknown) => hasCode(error, 422)
/** The resource version or the page asked for is older than what the server still knows. */
export const isGone = (error: unknown) =>
  hasCode(error, 410) || (error instanceof ApiError && error.reason === 'Expired')
