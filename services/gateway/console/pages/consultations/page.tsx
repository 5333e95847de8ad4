import type { PageProps } from '../../page-props.ts'
import { t } from '../../text/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { ConsultationView } from './consultation-view.tsx'
import { SessionList } from './session-list.tsx'
import { StartConsultation } from './start-consultation.tsx'

/** The list of consultations beside one of them. A narrow screen shows either. */
export default function ConsultationsPage({ params: { id } }: PageProps) {
  return (
    <div class={`consultations ${id === undefined ? 'shows-list' : 'shows-thread'}`}>
      <section class="sessions" aria-label={t('consultations.list')}>
        <header class="page-heading">
          {id === undefined ? (
            <h1 tabIndex={-1}>{t('nav.consultations')}</h1>
          ) : (
            <p class="heading">{t('nav.consultations')}</p>
          )}
          <a class="button" href="/consultations/new">
            <Icon name="plus" />
            {t('consultations.new')}
          </a>
        </header>
        <SessionList currentId={id} />
      </section>
      <section class="conversation" aria-label={t('consultations.conversation')}>
        {id === undefined || id === 'new' ? (
          <StartConsultation hasHeading={id === 'new'} />
        ) : (
          <ConsultationView key={id} id={id} />
        )}
      </section>
    </div>
  )
}
