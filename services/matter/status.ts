import * as z from 'zod'
import { ifMatch, okWithETag } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { commitChange } from './commit-change.ts'
import { post } from './deps.ts'
import { ById, lockMatter, Matter, Status } from './matter.ts'
import { bodySchema } from './playbook.ts'
import { actorId, userGuard, visibleToUser } from './scope.ts'

const transitions: Record<Status, readonly Status[]> = {
  DRAFT: ['ACTIVE', 'CANCELLED'],
  ACTIVE: ['ON_HOLD', 'COMPLETED', 'CANCELLED'],
  ON_HOLD: ['ACTIVE', 'CANCELLED'],
  COMPLETED: ['ARCHIVED'],
  ARCHIVED: [],
  CANCELLED: [],
}

export const canMove = (from: Status, to: Status) => from === to || transitions[from].includes(to)

/** Returns the new status or throws CONFLICT. The current status is always allowed. */
export function transition(from: Status, to: Status): Status {
  if (canMove(from, to)) return to
  throw new Fault('CONFLICT', `Status ${from} cannot change to ${to}.`, {
    data: { status: from, possible: transitions[from] },
  })
}

/**
 * Returns the status after a sync. An activating sync moves DRAFT to ACTIVE before it applies the
 * requested status, unless the request is reachable from DRAFT. A repeated DRAFT is not a step back.
 */
export function transitionBySync(
  from: Status,
  requested: Status | undefined,
  activates: boolean,
): Status {
  if (from !== 'DRAFT' || !activates) return transition(from, requested ?? from)
  if (requested === undefined || requested === 'DRAFT') return 'ACTIVE'
  return canMove(from, requested) ? requested : transition('ACTIVE', requested)
}

const StatusRequest = z
  .object({ status: Status, reason: z.string().max(2_000).nullish() })
  .meta({ examples: [{ status: 'ACTIVE', reason: 'The client has signed.' }] })

export const status = [
  post(
    '/api/v1/matters/:id/status',
    {
      summary: 'Change the status of a matter',
      description:
        'DRAFT → ACTIVE → COMPLETED → ARCHIVED, ON_HOLD to and from ACTIVE, CANCELLED from DRAFT, ACTIVE or ON_HOLD. Other transitions are 409. The current status changes nothing.',
      guard: userGuard,
      params: ById,
      body: bodySchema(StatusRequest),
      responses: { 200: Matter },
      faults: ['CONFLICT'],
      versioned: true,
    },
    async (c, { params, body }) => {
      const { caller } = c.var
      const matter = await c.env.sql.transaction(async (sql) => {
        const before = await lockMatter(sql, visibleToUser(caller), params.id, ifMatch(c))
        const status = transition(before.status, body.status)
        if (status === before.status) return before
        const event = {
          type: 'matter.status',
          summary: `From ${before.status} to ${status}${body.reason ? `: ${body.reason}` : '.'}`,
          from: { status: before.status },
          to: { status, reason: body.reason ?? null },
        }
        return commitChange(sql, before, actorId(caller), event, { status })
      })
      return okWithETag(c, matter)
    },
  ),
]
