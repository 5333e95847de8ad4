import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../_kit/context.ts'
import { Fault } from '../_kit/fault.ts'
import type { Caller, Guard } from '../_kit/identity.ts'
import type { Deps } from './deps.ts'

type Permission = 'collector:read' | 'collector:manage'

const internalPath = /^(\/api\/v1)?\/internal\//

/** True for paths that require the internal key, which replaces a permission. */
export const isInternalPath = (path: string) => internalPath.test(path)

/** Guard for a user with a permission, decided by the auth service or by X-Permissions. */
const permissionGuard = (permission: Permission, needsOrganization: boolean): Guard => ({
  headers: [
    {
      name: 'X-Permissions',
      required: false,
      description: `Must contain \`${permission}\`${permission === 'collector:read' ? ' or `collector:manage`' : ''}, unless X-Is-Superuser is true. Requires X-User-Id${needsOrganization ? ' and X-Organization-Id' : ''}.`,
      schema: { type: 'string' },
    },
  ],
  faults: ['UNAUTHENTICATED', 'FORBIDDEN'],
  async check(caller, c) {
    if (isInternalPath(c.req.path)) return
    if (caller.userId === undefined) throw headerRequired('X-User-Id')
    if (needsOrganization && caller.organizationId === undefined)
      throw headerRequired('X-Organization-Id')
    if (caller.superuser || (await hasPermission(c as Context<Env<Deps>>, caller, permission)))
      return
    throw new Fault('FORBIDDEN', `Permission ${permission} is required.`)
  },
})

/** Guard for reading packages and their runs, which belong to no organization. */
export const packageGuard = permissionGuard('collector:read', false)
/** Guard for applying packages, which belong to no organization. */
export const applyGuard = permissionGuard('collector:manage', false)
/** Guards for sources, runs and documents of an organization. */
export const readGuard = permissionGuard('collector:read', true)
export const manageGuard = permissionGuard('collector:manage', true)

export const headerRequired = (header: string) =>
  new Fault('UNAUTHENTICATED', `Header ${header} is required.`)

/** Permissions that grant a permission: manage includes read. */
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

/** Queries the auth service. Denies access if the service is unavailable. */
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
