import { useEffect, useState } from 'preact/hooks'
import type { ConsultationSession } from '../../api/types.ts'
import { usePages } from '../../api/use-pages.ts'
import { formatTime, t } from '../../text/text.ts'
import { LongList } from '../../ui/long-list.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty } from '../../ui/state.tsx'
import { sessionsPath } from './load-messages.ts'

/** Consultations of the person, or of the organization for its staff, last updated first. */
export function SessionList({ currentId }: { currentId: string | undefined }) {
  const [q, setQ] = useState('')
  const pages = usePages<ConsultationSession>(sessionsPath, { q, status: 'ACTIVE' })
  const isListed =
    currentId === undefined || currentId === 'new' || pages.items.some(({ id }) => id === currentId)
  // A consultation that was just started is not in the list yet.
  useEffect(() => {
    if (!isListed && !pages.loading) pages.reload()
  }, [currentId])
  return (
    <>
      <SearchField label={t('consultations.search')} value={q} onSearch={setQ} />
      <LongList
        label={t('nav.consultations')}
        pages={pages}
        estimateHeight={64}
        empty={<Empty title={q ? t('consultations.noHits') : t('consultations.empty')} />}
      >
        {({ id, title, updated_at }) => (
          <a
            class="list-row"
            href={`/consultations/${id}`}
            aria-current={id === currentId ? 'page' : undefined}
          >
            <span class="row-title">{title ?? t('consultations.untitled')}</span>
            <span class="faint">{formatTime(updated_at)}</span>
          </a>
        )}
      </LongList>
    </>
  )
}
