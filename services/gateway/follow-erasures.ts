import * as z from 'zod'
import { Fault } from '../_kit/fault.ts'
import type { Client } from '../_kit/peer.ts'
import { json, type Sql } from '../_kit/sql/sql.ts'
import type { IdentityCache } from './identity-cache.ts'

const path = '/api/v1/internal/platform/gateway-erasures'
const Erasures = z.object({
  items: z.array(z.object({ job_id: z.uuid(), organization_id: z.string(), user_id: z.string() })),
})
type Erasure = z.output<typeof Erasures>['items'][number]

const pollMs = 15_000

export interface ErasureContext {
  sql: Sql
  identities: IdentityCache
  /** The organization of the directory, if one is configured. */
  scim: { organization: string } | undefined
}
export type ErasureFollower = (context: ErasureContext) => Promise<number>

/**
 * Erases people here whom platform-service has erased everywhere else. The gateway asks for them, because
 * no internal path of the gateway can be called. Returns the number of people.
 */
export function makeErasureFollower(
  platform: Client,
  now: () => number = Date.now,
): ErasureFollower {
  let polledAt = Number.NEGATIVE_INFINITY
  return async (context) => {
    if (now() - polledAt < pollMs) return 0
    polledAt = now()
    const items = await loadErasures(platform)
    for (const erasure of items) {
      const erased = await context.sql.transaction((tx) => erasePerson(tx, erasure, context.scim))
      context.identities.clear()
      await platform.request(z.unknown(), `${path}/${erasure.job_id}`, {
        method: 'POST',
        body: { erased },
        idempotent: true,
      })
    }
    return items.length
  }
}

/** During an outage there is nothing to do; the next poll asks again. */
async function loadErasures(platform: Client): Promise<Erasure[]> {
  try {
    return (await platform.request(Erasures, path)).items
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.kind === 'UPSTREAM_UNAVAILABLE') return []
    throw thrown
  }
}

/**
 * Deletes sessions, API tokens, the rights and the user of the directory. A person who was removed stays
 * refused: the row keeps the id alone.
 */
async function erasePerson(
  tx: Sql,
  { organization_id, user_id }: Erasure,
  scim: ErasureContext['scim'],
): Promise<Record<string, number>> {
  const sessions = await tx`
    delete from gateway.sessions
    where organization_id = ${organization_id} and user_id = ${user_id} returning id`
  const tokens = await tx`
    delete from gateway.tokens
    where organization_id = ${organization_id} and user_id = ${user_id} returning id`
  const people = await tx`
    delete from gateway.people
    where organization_id = ${organization_id} and user_id = ${user_id} and active
    returning user_id`
  await tx`
    update gateway.people set identity = ${json({})}
    where organization_id = ${organization_id} and user_id = ${user_id}`
  const users =
    scim?.organization === organization_id
      ? await tx`
          delete from gateway.scim_users
          where id::text = ${user_id} or external_id = ${user_id}
            or lower(user_name) = lower(${user_id})
          returning id`
      : []
  return {
    sessions: sessions.length,
    tokens: tokens.length,
    people: people.length,
    scim_users: users.length,
  }
}
