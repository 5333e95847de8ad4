import * as z from 'zod'
import { ifMatch, okWithETag } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { commitChange } from './commit-change.ts'
import { post } from './deps.ts'
import { ById, lockMatter, Matter, Status } from './matter.ts'
import { bodySchema } from './playbook.ts'
import { actorOf, userGuard, visibleToUser } from './scope.ts'

const transitions: Record<Status, readonly Status[]> = {
  DRAFT: ['ACTIVE', 'CANCELLED'],
  ACTIVE: ['ON_HOLD', 'COMPLETED', 'CANCELLED'],
  ON_HOLD: ['ACTIVE', 'CANCELLED'],
  COMPLETED: ['ARCHIVED'],
  ARCHIVED: [],
  CANCELLED: [],
}

export const canMove = (from: Status, to: Status) => from === to || transitions[from].includes(to)

/** The status after a move, or a conflict. To the status it has is no move at all. */
export function transition(from: Status, to: Status): Status {
  if (canMove(from, to)) return to
  throw new Fault('CONFLICT', `A matter that is ${from} can't become ${to}.`, {
    data: { status: from, possible: transitions[from] },
  })
}

/**
 * The status after a sync. What activates a draft does so before the status that the engine tells,
 * unless that can be had without: an engine that repeats DRAFT means no step back.
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
      summary: 'Move a matter to another status',
      description:
        'DRAFT → ACTIVE → COMPLETED → ARCHIVED, ON_HOLD to and from ACTIVE, CANCELLED from DRAFT, ACTIVE or ON_HOLD; another move is a conflict. To the status it has: nothing changes.',
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
        return commitChange(sql, before, actorOf(caller), event, { status })
      })
      return okWithETag(c, matter)
    },
  ),
]
