import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import type { Caller, Guard } from '../_kit/identity.ts'
import type { Deps } from './deps.ts'

type Permission = 'collector:read' | 'collector:manage'

const internal = /^(\/api\/v1)?\/internal\//

/** Who holds the internal key was let in by it. */
export const isInternal = (path: string) => internal.test(path)

/** Somebody who is signed in and may do this: as the auth service says, or X-Permissions. */
const login = (needed: Permission, ofOrganization: boolean): Guard => ({
  header: {
    name: 'X-Permissions',
    required: false,
    description: `Must hold \`${needed}\`${needed === 'collector:read' ? ' or `collector:manage`' : ''}, unless X-Is-Superuser is true. X-User-Id${ofOrganization ? ' and X-Organization-Id say' : ' says'} who asks.`,
    schema: { type: 'string' },
  },
  faults: ['UNAUTHENTICATED', 'FORBIDDEN'],
  async check(caller, c) {
    if (isInternal(c.req.path)) return
    if (caller.userId === undefined) throw unnamed('X-User-Id')
    if (ofOrganization && caller.organizationId === undefined) throw unnamed('X-Organization-Id')
    if (caller.superuser || (await may(c as Context<Env<Deps>>, caller, needed))) return
    throw new Fault('FORBIDDEN', `This needs the permission ${needed}.`)
  },
})

/** To apply packages, which belong to no organization. */
export const applies = login('collector:manage', false)
/** For what an organization collects. */
export const reads = login('collector:read', true)
export const manages = login('collector:manage', true)

export const unnamed = (header: string) =>
  new Fault('UNAUTHENTICATED', `Send who asks in ${header}.`)

/** Who may manage may read. */
const sufficient: Record<Permission, Permission[]> = {
  'collector:read': ['collector:read', 'collector:manage'],
  'collector:manage': ['collector:manage'],
}

async function may(c: Context<Env<Deps>>, caller: Caller, needed: Permission): Promise<boolean> {
  const { auth } = c.env
  if (!auth) return sufficient[needed].some((each) => caller.permissions.includes(each))
  for (const permission of sufficient[needed]) {
    if (await allowed(c, caller, permission)) return true
  }
  return false
}

const Verdict = z.object({ allowed: z.boolean() })

/** An auth service that does not answer allows nothing. */
async function allowed(c: Context<Env<Deps>>, caller: Caller, permission: Permission) {
  const { requestId, traceparent } = c.var
  try {
    const verdict = await c.env.auth!.request(Verdict, '/api/v1/internal/auth/check', {
      method: 'POST',
      body: {
        user_id: caller.userId,
        organization_id: caller.organizationId ?? null,
        permission,
      },
      idempotent: true,
      from: { headers: c.req.raw.headers, requestId, traceparent },
    })
    return verdict.allowed
  } catch {
    return false
  }
}
