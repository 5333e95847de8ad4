import * as z from 'zod'
import { ifMatch, okWithETag } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { post } from './deps.ts'
import { ById, lockMatter, Matter, Status } from './matter.ts'
import { taken } from './playbook.ts'
import { member, personOf, seenBy } from './scope.ts'
import { write } from './write.ts'

const moves: Record<Status, readonly Status[]> = {
  DRAFT: ['ACTIVE', 'CANCELLED'],
  ACTIVE: ['ON_HOLD', 'COMPLETED', 'CANCELLED'],
  ON_HOLD: ['ACTIVE', 'CANCELLED'],
  COMPLETED: ['ARCHIVED'],
  ARCHIVED: [],
  CANCELLED: [],
}

export const mayMove = (from: Status, to: Status) => from === to || moves[from].includes(to)

/** The status after a move, or a conflict. To the status it has is no move at all. */
export function move(from: Status, to: Status): Status {
  if (mayMove(from, to)) return to
  throw new Fault('CONFLICT', `A matter that is ${from} can't become ${to}.`, {
    data: { status: from, possible: moves[from] },
  })
}

/**
 * The status after a sync. What activates a draft does so before the status that the engine tells,
 * unless that can be had without: an engine that repeats DRAFT means no step back.
 */
export function moveBySync(from: Status, told: Status | undefined, activates: boolean): Status {
  if (from !== 'DRAFT' || !activates) return move(from, told ?? from)
  if (told === undefined || told === 'DRAFT') return 'ACTIVE'
  return mayMove(from, told) ? told : move('ACTIVE', told)
}

const Move = z
  .object({ status: Status, reason: z.string().max(2_000).nullish() })
  .meta({ examples: [{ status: 'ACTIVE', reason: 'The client has signed.' }] })

export const status = [
  post(
    '/api/v1/matters/:id/status',
    {
      summary: 'Move a matter to another status',
      description:
        'DRAFT → ACTIVE → COMPLETED → ARCHIVED, ON_HOLD to and from ACTIVE, CANCELLED from DRAFT, ACTIVE or ON_HOLD; another move is a conflict. To the status it has: nothing changes.',
      guard: member,
      params: ById,
      body: taken(Move),
      responses: { 200: Matter },
      faults: ['CONFLICT'],
      versioned: true,
    },
    async (c, { params, body }) => {
      const { caller } = c.var
      const matter = await c.env.sql.transaction(async (sql) => {
        const before = await lockMatter(sql, seenBy(caller), params.id, ifMatch(c))
        const status = move(before.status, body.status)
        if (status === before.status) return before
        const event = {
          type: 'matter.status',
          summary: `From ${before.status} to ${status}${body.reason ? `: ${body.reason}` : '.'}`,
          from: { status: before.status },
          to: { status, reason: body.reason ?? null },
        }
        return write(sql, before, personOf(caller), event, { status })
      })
      return okWithETag(c, matter)
    },
  ),
]
