/** What the kit needs of a logger; pino has this shape. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const silent: Log = { info() {}, warn() {}, error() {} }

/**
 * An error as log fields. PostgreSQL's data exceptions (class 22) quote the offending value in their
 * message, and a value may be what somebody told us in confidence, so only the code is kept of those.
 */
export function errorFields(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { error: typeof thrown }
  const { code, constraint_name: constraint } = thrown as {
    code?: string
    constraint_name?: string
  }
  const quotesData = /^22/.test(code ?? '')
  return {
    error: thrown.name,
    ...(code ? { code } : {}),
    ...(constraint ? { constraint } : {}),
    ...(quotesData ? {} : { reason: thrown.message, stack: thrown.stack }),
  }
}
