import { toFault } from '../../_kit/fault.ts'

/** The reason why a step or a run failed, as clients see it. */
export interface Failure {
  code: string
  message: string
}

/** Converts anything thrown by a node. Errors may carry `retryable` to override the default. */
export function toFailure(thrown: unknown): Failure & { retryable: boolean } {
  if (isFailure(thrown)) return { ...thrown, retryable: false }
  const fault = toFault(thrown)
  const code = fault.code === 'INTERNAL' ? 'SKILL_FAILED' : fault.code
  const { retryable, message } = (thrown ?? {}) as { retryable?: unknown; message?: unknown }
  return typeof retryable === 'boolean' && typeof message === 'string'
    ? { code, message, retryable }
    : { code, message: fault.message, retryable: fault.retryable }
}

const isFailure = (thrown: unknown): thrown is Failure =>
  typeof thrown === 'object' && thrown !== null && !(thrown instanceof Error) && 'code' in thrown

const cancelMessages: Record<string, string> = {
  CANCELLED: 'The run was cancelled.',
  STOPPED: 'The run was stopped.',
}

/** The failure of a cancelled run; `code` is CANCELLED or STOPPED. */
export const toCancellation = (code: string): Failure => ({
  code,
  message: cancelMessages[code] ?? cancelMessages.CANCELLED!,
})
