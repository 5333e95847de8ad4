import { me } from '../../api/client.ts'
import type { MatterEvent } from '../../api/types.ts'
import { formatTime, t, translate } from '../../text/text.ts'
import { Empty } from '../../ui/state.tsx'
import { formatTodo } from './format-todo.ts'

/** Changes of a matter, newest first: who changed what. */
export function History({ events }: { events: MatterEvent[] }) {
  if (events.length === 0) return <Empty title={t('history.empty')} />
  return (
    <section class="panel-box" aria-label={t('history.title')}>
      <ol class="rows">
        {events.map((event) => (
          <li key={event.id} class="event">
            <p>
              <strong>{translate('matterEvent', event.type)}</strong>
              <span class="faint event-source">
                {formatTime(event.at)}
                {' · '}
                {event.actor === me.get()?.id
                  ? t('consultations.you')
                  : translate('actor', event.actor)}
              </span>
            </p>
            <p>{describeChange(event)}</p>
            <details>
              <summary>{t('history.details')}</summary>
              <pre>{formatChange(event)}</pre>
            </details>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** What changed, in the language of the reader. The summary of the service is English. */
function describeChange({ type, from, to }: MatterEvent): string {
  const before = from as Record<string, unknown>
  const after = to as Record<string, unknown>
  if (type === 'matter.status') {
    const states = [before.status, after.status].map((each) => translate('matterStatus', `${each}`))
    return [states.join(' → '), ...(after.reason ? [after.reason] : [])].join(' · ')
  }
  if (typeof after.todo_key === 'string') {
    return formatTodo({ todo_key: after.todo_key, title: String(after.title) })
  }
  const names = Object.keys({ ...before, ...after }).map((name) => translate('matterPart', name))
  return [...new Set(names)].join(t('state.separator'))
}

const formatChange = ({ from, to }: MatterEvent) => JSON.stringify({ from, to }, null, 2)
