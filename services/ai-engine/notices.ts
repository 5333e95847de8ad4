import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Id } from '../_kit/fields.ts'
import { textArray } from '../_kit/sql/sql.ts'
import { get, post } from './deps.ts'
import { service, visibleToService } from './scope.ts'
import { Notice } from './store/notices.ts'

const path = '/api/v1/internal/ai/agent/notices'

export const notices = [
  get(
    path,
    {
      summary: 'List notices of card timers that were not acknowledged',
      description:
        'A notice is a reminder of a pending card, or a run that an expired card started. Oldest first. A notice may be listed again until it is acknowledged.',
      guard: service,
      query: z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) }),
      responses: { 200: z.object({ items: z.array(Notice) }) },
    },
    async (c, { query }) => {
      const items = await c.env.sql.rows(Notice)`
        select notice_id, organization_id, session_id, thread_id, kind, card_id, run_id, created_at
        from ai_engine.notices where ${visibleToService(c.var.caller)}
        order by created_at, notice_id limit ${query.limit}`
      return ok(c, { items })
    },
  ),

  post(
    `${path}/acknowledge`,
    {
      summary: 'Acknowledge notices',
      description: 'Unknown ids are ignored.',
      guard: service,
      body: z.object({ notice_ids: z.array(Id).max(200) }),
      responses: { 200: z.object({ acknowledged: z.int() }) },
    },
    async (c, { body }) => {
      const removed = await c.env.sql`
        delete from ai_engine.notices
        where notice_id = any(${textArray(body.notice_ids)}::uuid[]) and ${visibleToService(c.var.caller)}
        returning notice_id`
      return ok(c, { acknowledged: removed.length })
    },
  ),
]
