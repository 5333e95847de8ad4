import { useEffect, useState } from 'preact/hooks'
import { request } from '../../api/client.ts'
import type { CollectionRun, Source } from '../../api/types.ts'
import { useAction } from '../../api/use-action.ts'
import { useLoad } from '../../api/use-load.ts'
import type { Pages } from '../../api/use-pages.ts'
import { formatTime, t, translate } from '../../text/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { Badge, Loaded, Problem, type Tone } from '../../ui/state.tsx'

export const collectorPath = '/collector-service/api/v1/collector'

const tones: Record<CollectionRun['status'], Tone> = {
  PENDING: 'neutral',
  RUNNING: 'info',
  SUCCEEDED: 'good',
  FAILED: 'bad',
  CANCELLED: 'warn',
}
const pollMs = 2_000
const isOpen = ({ status }: CollectionRun) => status === 'PENDING' || status === 'RUNNING'

interface CollectionRunsProps {
  runs: Pages<CollectionRun>
  sources: Source[]
}

/** Runs with their counts; open ones are followed until they end. */
export function CollectionRuns({ runs, sources }: CollectionRunsProps) {
  const [opened, setOpened] = useState<string>()
  const action = useAction()
  const hasOpen = runs.items.some(isOpen)
  useEffect(() => {
    if (!hasOpen) return
    const timer = setInterval(runs.reload, pollMs)
    return () => clearInterval(timer)
  }, [hasOpen])
  const cancel = ({ id }: CollectionRun) =>
    action.run(async () => {
      await request(`${collectorPath}/runs/${id}/cancel`, { method: 'POST' })
      runs.reload()
    })
  const nameOf = ({ source_id }: CollectionRun) =>
    sources.find(({ id }) => id === source_id)?.name ?? source_id
  return (
    <section class="panel-box" aria-labelledby="collection-runs">
      <h2 id="collection-runs">{t('collection.runs')}</h2>
      {action.error !== undefined && <Problem error={action.error} />}
      <PagedList pages={runs} empty={<p class="faint">{t('collection.runs.empty')}</p>}>
        {(items) => (
          <ul class="rows">
            {items.map((run) => (
              <li key={run.id} class="todo">
                <span>
                  <strong>{nameOf(run)}</strong>
                  <span class="faint">{formatTime(run.created_at)}</span>
                  <span class="faint">{t('collection.counts', run.counts)}</span>
                </span>
                <span class="row-details">
                  <Badge tone={tones[run.status]} text={translate('collectionRun', run.status)} />
                  <button
                    type="button"
                    aria-label={t('collection.log.of', { name: nameOf(run) })}
                    onClick={() => setOpened(run.id)}
                  >
                    {t('collection.log')}
                  </button>
                  {isOpen(run) && (
                    <button type="button" onClick={() => cancel(run)}>
                      {t('state.cancel')}
                    </button>
                  )}
                </span>
              </li>
            ))}
          </ul>
        )}
      </PagedList>
      {opened && <RunLog id={opened} onClose={() => setOpened(undefined)} />}
    </section>
  )
}

interface RunWithLog extends CollectionRun {
  log: Record<string, unknown>[]
}

function RunLog({ id, onClose }: { id: string; onClose: () => void }) {
  const load = useLoad(`run ${id}`, (signal) =>
    request<RunWithLog>(`${collectorPath}/runs/${id}`, { signal }),
  )
  return (
    <Dialog title={t('collection.log')} onClose={onClose}>
      <Loaded load={load}>
        {({ log }) =>
          log.length === 0 ? (
            <p class="faint">{t('collection.log.empty')}</p>
          ) : (
            <ol class="rows">
              {log.map((entry, index) => (
                <li key={index} class="code log-entry">
                  {Object.values(entry).filter(Boolean).join(' ')}
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Dialog>
  )
}
