import { ApiException } from '@kubernetes/client-node/dist/gen/apis/exception.js'
import type { V1Status } from '@kubernetes/client-node/dist/gen/models/V1Status.js'

/** An error response of the API server. Its message does not quote the body, which can hold a Secret. */
export class ApiError extends ApiException<V1Status> {
  override name = 'ApiError'
  readonly reason: string
  /** Milliseconds after which the server requests a retry. */
  readonly retryAfter: number | undefined

  constructor(code: number, reason: string, message: string, retryAfter?: number) {
    super(code, message, { code, reason, message }, {})
    this.message = message
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
