import * as z from 'zod'
import { Id, Time } from '../../_kit/fields.ts'
import { newId } from '../../_kit/ids.ts'
import { fragment, type Sql, textArray } from '../../_kit/sql/sql.ts'

export const Notice = z
  .object({
    notice_id: Id,
    organization_id: z.string(),
    session_id: z.string(),
    thread_id: z.string(),
    kind: z.enum(['card_reminder', 'run_started']),
    card_id: Id,
    run_id: Id.nullable(),
    created_at: Time,
  })
  .meta({ id: 'Notice' })

const RemindedRow = z.object({ card_id: Id })

/**
 * Reminds of pending cards whose time has come, in one statement: each reminder gives exactly one notice,
 * whatever process fails. Reminders that were missed are joined. Returns the number of reminded cards.
 */
export async function remindDueCards(sql: Sql, limit: number): Promise<number> {
  const ids = Array.from({ length: limit }, newId)
  const reminded = await sql.rows(RemindedRow)`
    with due as (
      select c.card_id, t.organization_id, t.session_id, t.thread_id
      from ai_engine.cards c
      join ai_engine.threads t on t.card_id = c.card_id and t.status = 'interrupted'
      where c.status = 'pending' and c.remind_at <= now()
      order by c.remind_at limit ${limit} for update of c skip locked),
    moved as (
      update ai_engine.cards c set remind_at = (
        select min(at::timestamptz) from jsonb_array_elements_text(c.card->'reminders') at
        where at::timestamptz > now())
      from due where c.card_id = due.card_id
      returning c.card_id, due.organization_id, due.session_id, due.thread_id),
    numbered as (select *, row_number() over (order by card_id) as n from moved),
    made as (
      insert into ai_engine.notices (notice_id, organization_id, session_id, thread_id, kind, card_id)
      select i.id::uuid, organization_id, session_id, thread_id, 'card_reminder', card_id
      from numbered join unnest(${textArray(ids)}) with ordinality i (id, n) using (n)
      where session_id is not null)
    select card_id from moved`
  return reminded.length
}

/** Clause that adds a notice about the run r of the thread t, which an expired card started. */
export const insertRunNotice = (card_id: string) => fragment`,
  notice as (
    insert into ai_engine.notices (notice_id, organization_id, session_id, thread_id, kind, card_id, run_id)
    select ${newId()}::uuid, t.organization_id, t.session_id, t.thread_id, 'run_started',
      ${card_id}::uuid, r.run_id
    from t join r on r.run_id = t.run_id where t.session_id is not null)`
