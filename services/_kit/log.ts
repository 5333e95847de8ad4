/** The logger interface of the kit; pino implements it. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const silent: Log = { info() {}, warn() {}, error() {} }

/**
 * Converts an error to log fields. PostgreSQL data exceptions (class 22) quote the offending value,
 * which may be confidential, so only their code is logged.
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
