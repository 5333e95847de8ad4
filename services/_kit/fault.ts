/** Every way a request can fail: the status it travels with, and whether trying again may help. */
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
  RATE_LIMITED: { status: 429, retry: true },
  INTERNAL: { status: 500, retry: true },
  UPSTREAM_UNAVAILABLE: { status: 503, retry: true },
} as const

export type FaultKind = keyof typeof kinds
export type Issue = { path: string; message: string }

type Options = {
  /** A code of the service's own, where the kind says too little: `TURN_IN_PROGRESS`. */
  code?: string
  data?: unknown
  cause?: unknown
  headers?: Record<string, string>
}

export const statusOf = (kind: FaultKind) => kinds[kind].status

/** What a handler throws. Its message is read by people: one sentence they can act on. */
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

/** A peer's answer as the fault it was there: its code and message are kept. */
export function faultFrom(status: number, code: string, message: string, data: unknown): Fault {
  const own = code in kinds ? (code as FaultKind) : undefined
  const byStatus = (Object.keys(kinds) as FaultKind[]).find((kind) => kinds[kind].status === status)
  return new Fault(own ?? byStatus ?? 'INTERNAL', message, { code, data })
}

const bySqlState: Record<string, [FaultKind, string]> = {
  '23505': ['CONFLICT', 'This already exists.'],
  '23503': ['CONFLICT', 'This refers to a record that is not there, or is still referred to.'],
  '40001': ['CONFLICT', 'Another request changed the same records; try again.'],
  '40P01': ['CONFLICT', 'Another request changed the same records; try again.'],
  '53300': ['UPSTREAM_UNAVAILABLE', 'The database is busy; try again.'],
  '57014': ['UPSTREAM_UNAVAILABLE', 'The database took too long; try again.'],
  '57P01': ['UPSTREAM_UNAVAILABLE', 'The database is restarting; try again.'],
  '57P03': ['UPSTREAM_UNAVAILABLE', 'The database is starting; try again.'],
}

const lostConnection = /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|08)/

/** Anything thrown, as a fault. What we did not foresee says nothing of itself to the caller. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  const code = String((thrown as { code?: unknown } | null)?.code ?? '')
  const known = bySqlState[code]
  if (known) return new Fault(known[0], known[1], { cause: thrown })
  return lostConnection.test(code)
    ? new Fault('UPSTREAM_UNAVAILABLE', 'The database does not answer; try again.', {
        cause: thrown,
      })
    : new Fault(
        'INTERNAL',
        'Something went wrong on our side; the request id finds it in the log.',
        {
          cause: thrown,
        },
      )
}
