import type { Context } from 'hono'
import type { Env } from '../_kit/context.ts'
import { Fault } from '../_kit/fault.ts'
import { type Deps, get } from './deps.ts'
import { scopes } from './scopes.ts'

const path = '/.well-known/oauth-protected-resource'
const document = { content: { 'application/json': { schema: { type: 'object' } } } }

/** Address of the gateway for clients. */
const baseUrl = (c: Context<Env<Deps>>) => c.env.publicUrl ?? new URL(c.req.url).origin

/** Protected-resource metadata (RFC 9728), for the gateway and for its MCP server. */
export const protectedResource = ['', '/mcp'].map((resource) =>
  get(
    `${path}${resource}`,
    { summary: 'Get the protected-resource metadata', responses: { 200: document } },
    async (c) => {
      const { provider } = c.env
      c.header('Cache-Control', 'max-age=3600')
      c.header('Access-Control-Allow-Origin', '*')
      return c.json({
        resource: `${baseUrl(c)}${resource}`,
        resource_name: 'Legal suite',
        bearer_methods_supported: ['header'],
        scopes_supported: scopes.filter((scope) => scope !== '*'),
        ...(provider && { authorization_servers: [provider.settings.issuer] }),
      })
    },
  ),
)

/** 401 with `WWW-Authenticate` (RFC 6750, RFC 9728). A credential that was sent is called invalid. */
export function unauthenticated(c: Context<Env<Deps>>, resource = ''): Fault {
  const wasSent = c.req.header('authorization') !== undefined
  return new Fault('UNAUTHENTICATED', 'Sign in first, or send an API token.', {
    headers: { 'WWW-Authenticate': challenge(c, wasSent ? 'invalid_token' : undefined, resource) },
  })
}

export function challenge(c: Context<Env<Deps>>, error?: string, resource = ''): string {
  const metadata = `resource_metadata="${baseUrl(c)}${path}${resource}"`
  return error === undefined ? `Bearer ${metadata}` : `Bearer error="${error}", ${metadata}`
}
