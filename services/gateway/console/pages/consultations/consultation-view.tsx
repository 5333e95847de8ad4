import { useEffect, useMemo } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { useStore } from '../../store.ts'
import { t } from '../../text/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { NotFound } from '../../ui/not-found.tsx'
import { usePageTitle } from '../../ui/page-title.ts'
import { errorText, Loading, Problem, translateError } from '../../ui/state.tsx'
import { CardForm } from './card-form.tsx'
import { Composer } from './composer.tsx'
import { makeConsultation } from './consultation.ts'
import { Thread } from './thread.tsx'

/** One consultation: its messages, the card that waits for an answer, and the input. */
export function ConsultationView({ id }: { id: string }) {
  const consultation = useMemo(() => makeConsultation(id), [id])
  useEffect(() => {
    consultation.refresh()
    return consultation.close
  }, [consultation])
  const { session, turn, card, error, turnError, isConnectionLost } = useStore(consultation.state)

  usePageTitle(session ? (session.title ?? t('consultations.untitled')) : undefined)

  if (!session) {
    if (error instanceof ApiError && error.status === 404) return <NotFound />
    return error ? <Problem error={error} onRetry={consultation.refresh} /> : <Loading />
  }
  const isArchived = session.status === 'ARCHIVED'
  return (
    <>
      <header class="conversation-heading">
        <a class="button quiet back" href="/consultations" aria-label={t('consultations.back')}>
          <Icon name="back" />
        </a>
        <h1 tabIndex={-1}>{session.title ?? t('consultations.untitled')}</h1>
        {session.matter_id && (
          <a class="button" href={`/matters/${session.matter_id}`}>
            <Icon name="folder" />
            {t('consultations.matter')}
          </a>
        )}
      </header>
      <Thread consultation={consultation} />
      <div class="dock">
        <div role="status">
          {isConnectionLost && <p class="notice warn">{t('consultations.reconnecting')}</p>}
          {turnError && (
            <p class="notice warn">{translateError(turnError.code, turnError.message)}</p>
          )}
          {isArchived && <p class="notice">{t('consultations.archived')}</p>}
          {error !== undefined && <p class="notice bad">{errorText(error)}</p>}
        </div>
        {card && (
          <CardForm
            key={card.card_id}
            card={card}
            isHidden={turn !== null}
            consultation={consultation}
          />
        )}
        <Composer
          draft={consultation.draft}
          isLocked={isArchived || turn !== null || card !== null}
          {...(card && { lockedHint: t('card.lock') })}
          {...(turn && { onStop: consultation.stop })}
          onSend={consultation.sendDraft}
        />
      </div>
    </>
  )
}
