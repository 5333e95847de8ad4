import { ConfigError } from '../_kit/config.ts'

const exposed =
  'ETag, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, WWW-Authenticate'

/** Sets CORS headers for an origin of the allow-list. Other origins get none. */
export function setCorsHeaders(
  headers: Headers,
  origin: string | null,
  allowed: readonly string[],
) {
  if (allowed.length === 0) return
  headers.append('Vary', 'Origin')
  if (origin === null || !allowed.includes(origin)) return
  headers.set('Access-Control-Allow-Origin', origin)
  headers.set('Access-Control-Allow-Credentials', 'true')
  headers.set('Access-Control-Expose-Headers', exposed)
}

/** Responds to a preflight request, or returns undefined if the request is none. */
export function preflight({ method, headers }: Request, allowed: readonly string[]) {
  const origin = headers.get('origin')
  if (method !== 'OPTIONS' || origin === null || !headers.has('access-control-request-method')) {
    return undefined
  }
  const response = new Response(null, { status: 204 })
  if (allowed.includes(origin)) {
    response.headers.set('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE')
    response.headers.set(
      'Access-Control-Allow-Headers',
      'Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID, MCP-Protocol-Version, X-CSRF-Token, X-Request-Id',
    )
    response.headers.set('Access-Control-Max-Age', '600')
  }
  return response
}

/** Parses the allow-list. `*` and paths are refused: an entry is compared with a whole Origin header. */
export function parseOrigins(list: string): string[] {
  const origins = list
    .split(',')
    .map((origin) => origin.trim())
    .filter(Boolean)
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new ConfigError(`GATEWAY_CORS_ORIGINS: ${origin} is not an origin (https://host).`)
    }
  }
  return origins
}
