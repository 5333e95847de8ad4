import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import type { Caller, Guard } from '../_kit/identity.ts'
import type { Deps } from './deps.ts'

type Permission = 'collector:read' | 'collector:manage'

const internalPath = /^(\/api\/v1)?\/internal\//

/** Who holds the internal key was let in by it. */
export const isInternalPath = (path: string) => internalPath.test(path)

/** Somebody who is signed in and may do this: as the auth service says, or X-Permissions. */
const permissionGuard = (permission: Permission, needsOrganization: boolean): Guard => ({
  header: {
    name: 'X-Permissions',
    required: false,
    description: `Must hold \`${permission}\`${permission === 'collector:read' ? ' or `collector:manage`' : ''}, unless X-Is-Superuser is true. X-User-Id${needsOrganization ? ' and X-Organization-Id say' : ' says'} who asks.`,
    schema: { type: 'string' },
  },
  faults: ['UNAUTHENTICATED', 'FORBIDDEN'],
  async check(caller, c) {
    if (isInternalPath(c.req.path)) return
    if (caller.userId === undefined) throw headerRequired('X-User-Id')
    if (needsOrganization && caller.organizationId === undefined)
      throw headerRequired('X-Organization-Id')
    if (caller.superuser || (await hasPermission(c as Context<Env<Deps>>, caller, permission)))
      return
    throw new Fault('FORBIDDEN', `This needs the permission ${permission}.`)
  },
})

/** To apply packages, which belong to no organization. */
export const applyGuard = permissionGuard('collector:manage', false)
/** For what an organization collects. */
export const readGuard = permissionGuard('collector:read', true)
export const manageGuard = permissionGuard('collector:manage', true)

export const headerRequired = (header: string) =>
  new Fault('UNAUTHENTICATED', `Send who asks in ${header}.`)

/** Who may manage may read. */
const grantedBy: Record<Permission, Permission[]> = {
  'collector:read': ['collector:read', 'collector:manage'],
  'collector:manage': ['collector:manage'],
}

async function hasPermission(
  c: Context<Env<Deps>>,
  caller: Caller,
  permission: Permission,
): Promise<boolean> {
  const { auth } = c.env
  if (!auth) return grantedBy[permission].some((each) => caller.permissions.includes(each))
  for (const granting of grantedBy[permission]) {
    if (await askAuthService(c, caller, granting)) return true
  }
  return false
}

const AuthDecision = z.object({ allowed: z.boolean() })

/** An auth service that does not answer allows nothing. */
async function askAuthService(c: Context<Env<Deps>>, caller: Caller, permission: Permission) {
  const { requestId, traceparent } = c.var
  try {
    const decision = await c.env.auth!.request(AuthDecision, '/api/v1/internal/auth/check', {
      method: 'POST',
      body: {
        user_id: caller.userId,
        organization_id: caller.organizationId ?? null,
        permission,
      },
      idempotent: true,
      from: { headers: c.req.raw.headers, requestId, traceparent },
    })
    return decision.allowed
  } catch {
    return false
  }
}
