import { withQuery } from '../../api/client.ts'
import type { Trace } from '../../api/types.ts'
import { usePages } from '../../api/use-pages.ts'
import { navigate, usePlace } from '../../router.ts'
import { formatTime, t, translate } from '../../text/text.ts'
import { PagedList } from '../../ui/paged-list.tsx'
import { Badge, Empty, type Tone } from '../../ui/state.tsx'
import { AdministrationLayout } from './administration.tsx'

export const enginePath = '/api/v1/ai/admin'

export const traceTones: Record<Trace['status'], Tone> = {
  running: 'info',
  completed: 'good',
  interrupted: 'warn',
  failed: 'bad',
}

/** Runs of the engine, newest first. */
export default function RunsPage() {
  const { query } = usePlace()
  const status = query.get('status') ?? ''
  const pages = usePages<Trace>(`${enginePath}/traces`, { status })
  return (
    <AdministrationLayout page="runs">
      <div class="filters">
        <label>
          <span>{t('runs.status')}</span>
          <select
            value={status}
            onChange={({ currentTarget }) =>
              navigate(withQuery('/administration/runs', { status: currentTarget.value }), {
                replace: true,
              })
            }
          >
            <option value="">{t('runs.anyStatus')}</option>
            {Object.keys(traceTones).map((each) => (
              <option key={each} value={each}>
                {translate('runStatus', each)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <PagedList
        pages={pages}
        empty={<Empty title={t('runs.empty')} hint={t('runs.empty.hint')} />}
      >
        {(items) => (
          <ul class="rows panel-box">
            {items.map((trace) => (
              <li key={trace.trace_id}>
                <a class="list-row" href={`/administration/runs/${trace.trace_id}`}>
                  <span class="row-title">{formatTime(trace.started_at)}</span>
                  <span class="row-details">
                    <Badge
                      tone={traceTones[trace.status]}
                      text={translate('runStatus', trace.status)}
                    />
                    <span class="faint">
                      {`${translate('runKind', trace.kind)} · ${trace.thread_id}`}
                    </span>
                  </span>
                </a>
              </li>
            ))}
          </ul>
        )}
      </PagedList>
    </AdministrationLayout>
  )
}
