import type { MatterEvent } from '../../api/types.ts'
import { currentLanguage, formatTime, t, translate } from '../../text/text.ts'
import { Empty } from '../../ui/state.tsx'

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
                {translate('actor', event.actor)}
              </span>
            </p>
            {/* The service writes summaries in English. */}
            <p>{currentLanguage() === 'en' ? event.summary : listMembers(event)}</p>
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

/** Parts of the matter that changed. */
const listMembers = ({ from, to }: MatterEvent) =>
  Object.keys({ ...(from as object), ...(to as object) })
    .map((name) => translate('matterPart', name))
    .join('、')

const formatChange = ({ from, to }: MatterEvent) => JSON.stringify({ from, to }, null, 2)
