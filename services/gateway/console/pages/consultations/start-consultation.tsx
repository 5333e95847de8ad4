import { useMemo, useState } from 'preact/hooks'
import { request } from '../../api/client.ts'
import type { ConsultationSession } from '../../api/types.ts'
import { navigate } from '../../router.ts'
import type { TextKey } from '../../text/catalogue.ts'
import { t } from '../../text/text.ts'
import { usePageTitle } from '../../ui/page-title.ts'
import { Problem } from '../../ui/state.tsx'
import { Composer } from './composer.tsx'
import { sessionsPath } from './load-messages.ts'
import { clearDraft, type MessageContent, makeMessageDraft, makeUnsent } from './message-draft.ts'

const samples: TextKey[] = ['start.sample.loan', 'start.sample.labor', 'start.sample.lease']

/** Starts a consultation with its first message. For people who are new here: samples to try. */
export function StartConsultation({ hasHeading }: { hasHeading: boolean }) {
  usePageTitle(hasHeading ? t('start.title') : t('nav.consultations'))
  const draft = useMemo(() => makeMessageDraft('new'), [])
  const [isStarting, setStarting] = useState(false)
  const [error, setError] = useState<unknown>()
  /** Creates the session. Its page sends the message, also after a reload. */
  async function start(message: MessageContent) {
    setStarting(true)
    setError(undefined)
    try {
      const body = { title: titleOf(message.text) }
      const { id } = await request<ConsultationSession>(sessionsPath, { method: 'POST', body })
      makeUnsent(id).write(message)
      if (message.text === draft.get().text) clearDraft(draft)
      navigate(`/consultations/${id}`)
    } catch (thrown) {
      setStarting(false)
      setError(thrown)
    }
  }
  const Heading = hasHeading ? 'h1' : 'h2'
  return (
    <div class="start">
      <div class="start-body">
        <Heading tabIndex={-1}>{t('start.title')}</Heading>
        <p>{t('start.hint')}</p>
        <h3>{t('start.samples')}</h3>
        <ul class="samples">
          {samples.map((key) => (
            <li key={key}>
              <button
                type="button"
                disabled={isStarting}
                onClick={() => start({ text: t(key), files: [] })}
              >
                {t(key)}
              </button>
            </li>
          ))}
        </ul>
        {error !== undefined && <Problem error={error} />}
      </div>
      <Composer draft={draft} isLocked={isStarting} onSend={() => start(draft.get())} />
    </div>
  )
}

const maxTitleLength = 40

/** The first line of a message. A character of two code units is never cut. */
function titleOf(text: string): string {
  const [line = ''] = text.trim().split('\n')
  const characters = [...line]
  if (characters.length <= maxTitleLength) return line
  return `${characters.slice(0, maxTitleLength).join('')}…`
}
