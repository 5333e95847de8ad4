import { useState } from 'preact/hooks'
import { request } from '../../api/client.ts'
import type { ConsultationSession } from '../../api/types.ts'
import { navigate } from '../../router.ts'
import type { TextKey } from '../../text/catalogue.ts'
import { t } from '../../text/text.ts'
import { Problem } from '../../ui/state.tsx'
import { Composer } from './composer.tsx'
import { sessionsPath } from './consultation.ts'
import { firstMessages } from './first-messages.ts'

const samples: TextKey[] = ['start.sample.loan', 'start.sample.labor', 'start.sample.lease']
const maxTitleLength = 40

/** Starts a consultation with its first message. For people who are new here: samples to try. */
export function StartConsultation({ hasHeading }: { hasHeading: boolean }) {
  const [isStarting, setStarting] = useState(false)
  const [error, setError] = useState<unknown>()
  async function start(content: string, fileIds: string[]) {
    setStarting(true)
    setError(undefined)
    try {
      const [line = ''] = content.trim().split('\n')
      const title = line.length > maxTitleLength ? `${line.slice(0, maxTitleLength)}…` : line
      const body = { title }
      const { id } = await request<ConsultationSession>(sessionsPath, { method: 'POST', body })
      firstMessages.set(id, { content, fileIds })
      navigate(`/consultations/${id}`)
      return true
    } catch (thrown) {
      setStarting(false)
      setError(thrown)
      return false
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
              <button type="button" disabled={isStarting} onClick={() => start(t(key), [])}>
                {t(key)}
              </button>
            </li>
          ))}
        </ul>
        {error !== undefined && <Problem error={error} />}
      </div>
      <Composer draftKey="new" isLocked={isStarting} onSend={start} />
    </div>
  )
}
