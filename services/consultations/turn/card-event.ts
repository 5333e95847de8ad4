import { newId } from '../../_kit/ids.ts'
import { fragment } from '../../_kit/sql/sql.ts'

/**
 * Inserts a card event for the session of `held`, a common table expression with `session_id`. Only the
 * statement that commits the turn knows whether its lease was held.
 */
export function insertCardEvent(type: 'card.created' | 'card.answered', cardId: string) {
  const [id, at] = [newId(), new Date().toISOString()]
  return fragment`
    insert into consultations.event_outbox (id, body)
    select ${id}::uuid, jsonb_build_object('id', ${id}::text, 'type', ${type}::text,
      'at', ${at}::text, 'organization_id', session.organization_id,
      'user_id', session.user_id, 'matter_id', session.matter_id,
      'data', jsonb_build_object('session_id', session.id, 'card_id', ${cardId}::text))
    from held join consultations.sessions session on session.id = held.session_id`
}
