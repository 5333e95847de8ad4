/** Services behind the gateway, by their name in the path. */
export const serviceNames = [
  'memory-service',
  'ai-engine',
  'consultations-service',
  'matter-service',
  'knowledge-service',
  'collector-service',
  'platform-service',
  'files-service',
] as const
export type ServiceName = (typeof serviceNames)[number]

export interface Target {
  service: ServiceName
  /** Path on the service, as the client spelled it. */
  path: string
}

/** One path segment: unreserved and sub-delimiter characters, or percent-encoded bytes. */
const segment = /^(?:[\w.~!$&'()*+,=:@-]|%[\da-fA-F]{2})+$/
/** Encoded bytes that a router might decode into structure: controls, `%`, `.`, `/`, `;`, `\`. */
const ambiguous = /%(?:[01][\da-f]|7f|25|2e|2f|3b|5c)/i

/**
 * Finds the service and path that a URL path names, or undefined. The rule is an allow-list: a path is
 * forwarded only if every router reads it in the same way and it is no internal path.
 */
export function resolveTarget(pathname: string): Target | undefined {
  const [empty, first, ...rest] = pathname.split('/')
  if (empty !== '' || first === undefined) return undefined
  const prefixed = serviceNames.find((name) => name === first)
  const service = prefixed ?? (first === 'api' ? 'platform-service' : undefined)
  const segments = prefixed ? rest : [first, ...rest]
  if (!service || segments[0] !== 'api' || segments[1] !== 'v1' || segments.length < 3)
    return undefined
  for (const each of segments) {
    if (!segment.test(each) || ambiguous.test(each) || /^\.+$/.test(each)) return undefined
  }
  return isInternal(segments[2]!) ? undefined : { service, path: `/${segments.join('/')}` }
}

/** Compares as loosely as any router could: decoded, without case, marks and trailing characters. */
function isInternal(segment: string): boolean {
  try {
    const plain = decodeURIComponent(segment).normalize('NFKC').toLowerCase()
    return plain.replace(/[^a-z]/g, '').startsWith('internal')
  } catch {
    return true
  }
}
