/** Fault kinds with their HTTP status and whether a retry may succeed. */
const kinds = {
  VALIDATION_FAILED: { status: 400, retry: false },
  UNAUTHENTICATED: { status: 401, retry: false },
  FORBIDDEN: { status: 403, retry: false },
  NOT_FOUND: { status: 404, retry: false },
  METHOD_NOT_ALLOWED: { status: 405, retry: false },
  CONFLICT: { status: 409, retry: false },
  VERSION_CONFLICT: { status: 409, retry: false },
  PAYLOAD_TOO_LARGE: { status: 413, retry: false },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retry: false },
  RANGE_NOT_SATISFIABLE: { status: 416, retry: false },
  PLAYBOOK_CONFIG_REJECTED: { status: 422, retry: false },
  MANIFEST_INVALID: { status: 422, retry: false },
  RATE_TABLE_ENDS: { status: 422, retry: false },
  RATE_LIMITED: { status: 429, retry: true },
  INTERNAL: { status: 500, retry: true },
  UPSTREAM_UNAVAILABLE: { status: 503, retry: true },
} as const

export type FaultKind = keyof typeof kinds
export type Issue = { path: string; message: string }

type Options = {
  /** A service-specific code, more precise than the kind: `TURN_IN_PROGRESS`. */
  code?: string
  data?: unknown
  cause?: unknown
  headers?: Record<string, string>
}

export const httpStatus = (kind: FaultKind) => kinds[kind].status

/** The error that handlers throw. The message is one sentence that a user can act on. */
export class Fault extends Error {
  override name = 'Fault'
  readonly kind: FaultKind
  readonly code: string
  readonly data: unknown
  readonly headers: Record<string, string>

  constructor(kind: FaultKind, message: string, options: Options = {}) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.code = options.code ?? kind
    this.data = options.data ?? null
    this.headers = options.headers ?? {}
  }

  get status() {
    return kinds[this.kind].status
  }

  get retryable() {
    return kinds[this.kind].retry
  }

  toJSON() {
    return { code: this.code, message: this.message, data: this.data }
  }
}

export const notFound = (what: string) => new Fault('NOT_FOUND', `There is no ${what}.`)

export function invalid(issues: Issue[]): Fault {
  const [first] = issues
  const where = first?.path ? `${first.path}: ` : ''
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  return new Fault('VALIDATION_FAILED', `${where}${first?.message ?? 'invalid input'}${more}`, {
    data: { issues },
  })
}

/** Rebuilds the fault that another service returned, with its code and message. */
export function faultFrom(status: number, code: string, message: string, data: unknown): Fault {
  const kindByCode = code in kinds ? (code as FaultKind) : undefined
  const byStatus = (Object.keys(kinds) as FaultKind[]).find((kind) => kinds[kind].status === status)
  return new Fault(kindByCode ?? byStatus ?? 'INTERNAL', message, { code, data })
}

const bySqlState: Record<string, [FaultKind, string]> = {
  '23505': ['CONFLICT', 'The record already exists.'],
  '23503': [
    'CONFLICT',
    'The record refers to a missing record, or other records still refer to it.',
  ],
  '40001': ['CONFLICT', 'A concurrent request changed the same records. Try again.'],
  '40P01': ['CONFLICT', 'A concurrent request changed the same records. Try again.'],
  '53300': ['UPSTREAM_UNAVAILABLE', 'The database has no free connection. Try again.'],
  '57014': ['UPSTREAM_UNAVAILABLE', 'The database query timed out. Try again.'],
  '57P01': ['UPSTREAM_UNAVAILABLE', 'The database is restarting. Try again.'],
  '57P03': ['UPSTREAM_UNAVAILABLE', 'The database is starting. Try again.'],
}

const lostConnection = /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|08)/

/** Converts anything thrown to a fault. An unexpected error reveals nothing to the caller. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  const code = String((thrown as { code?: unknown } | null)?.code ?? '')
  const mapped = bySqlState[code]
  if (mapped) return new Fault(mapped[0], mapped[1], { cause: thrown })
  return lostConnection.test(code)
    ? new Fault('UPSTREAM_UNAVAILABLE', 'The database is not reachable. Try again.', {
        cause: thrown,
      })
    : new Fault('INTERNAL', 'Internal error. Search the log for the request id.', {
        cause: thrown,
      })
}
