import type { Context } from 'hono'
import * as client from 'openid-client'
import type { Env } from '../../_kit/context.ts'
import { Fault } from '../../_kit/fault.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Deps } from '../deps.ts'

/** Error codes of OAuth contain these characters only; other text of a provider is not repeated. */
const codePattern = /^[a-z_]{1,50}$/

/** Converts a failed sign-in to a fault that says what to do. The log has the reason. */
export function toSignInFault(c: Context<Env<Deps>>, thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  c.env.kit.log.warn(
    { request_id: c.var.requestId, ...errorFields(thrown) },
    'sign-in at the provider failed',
  )
  if (thrown === 'unknown state') {
    return new Fault(
      'FORBIDDEN',
      'The sign-in has expired or was started elsewhere. Sign in again.',
    )
  }
  const isRefusal =
    thrown instanceof client.AuthorizationResponseError ||
    thrown instanceof client.ResponseBodyError
  if (isRefusal) {
    const code = codePattern.test(thrown.error) ? thrown.error : 'unknown error'
    return new Fault('FORBIDDEN', `The provider refused the sign-in: ${code}.`)
  }
  if (isUnavailable(thrown)) {
    return new Fault('UPSTREAM_UNAVAILABLE', 'The sign-in provider is not available. Try again.')
  }
  return new Fault('FORBIDDEN', 'The response of the provider is not valid. Sign in again.')
}

/** Whether the provider did not respond: a failed connection, a timeout or a status 5xx. */
export function isUnavailable(thrown: unknown): boolean {
  if (thrown instanceof client.ClientError) {
    return ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM'].includes(thrown.code ?? '')
  }
  return thrown instanceof TypeError || (thrown as Error | null)?.name === 'TimeoutError'
}
