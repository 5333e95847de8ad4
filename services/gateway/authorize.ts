import { Fault } from '../_kit/fault.ts'
import { accepts } from '../_kit/keys.ts'
import type { Principal } from './principal.ts'
import type { Area } from './scopes.ts'
import type { ServiceName, Target } from './target.ts'

const areaByService: Record<ServiceName, Area> = {
  'consultations-service': 'consultations',
  'matter-service': 'matters',
  'knowledge-service': 'knowledge',
  'files-service': 'files',
  'collector-service': 'collector',
  'platform-service': 'platform',
  'memory-service': 'ai',
  'ai-engine': 'ai',
}

/** POST requests that only read. */
const readingPosts = /^\/api\/v1\/(knowledge\/query|ai\/calculators\/[^/]+|ai\/citations\/verify)$/

const isRead = (method: string, path: string) =>
  method === 'GET' || method === 'HEAD' || (method === 'POST' && readingPosts.test(path))

/** Throws FORBIDDEN if an API token lacks the scope of a request. A session has every scope. */
export function requireScope({ credential }: Principal, method: string, { service, path }: Target) {
  if (credential.kind !== 'token' || credential.scopes.includes('*')) return
  const area = path.startsWith('/api/v1/ai/') ? 'ai' : areaByService[service]
  const scope = `${area}:${isRead(method, path) ? 'read' : 'write'}`
  if (!credential.scopes.includes(scope)) {
    throw new Fault('FORBIDDEN', `The token lacks the scope ${scope}.`, {
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    })
  }
}

/** Throws FORBIDDEN unless the credential has every scope, as sessions and tokens are in no area. */
export function requireFullScope({ credential }: Principal) {
  if (credential.kind !== 'token' || credential.scopes.includes('*')) return
  throw new Fault('FORBIDDEN', 'The token lacks the scope *.', {
    headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="*"' },
  })
}

/** Throws FORBIDDEN if a write with the session cookie does not carry its CSRF token. */
export function requireCsrf({ credential }: Principal, { method, headers }: Request) {
  if (credential.kind !== 'session' || method === 'GET' || method === 'HEAD') return
  const sent = headers.get('x-csrf-token') ?? ''
  if (!accepts({ current: credential.csrf, accepted: [] }, sent)) {
    throw new Fault(
      'FORBIDDEN',
      'Header X-CSRF-Token is missing or wrong. GET /auth/me returns it.',
    )
  }
}
