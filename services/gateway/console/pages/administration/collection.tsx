import { useState } from 'preact/hooks'
import { request } from '../../api/client.ts'
import type { CollectionRun, Source } from '../../api/types.ts'
import { useAction } from '../../api/use-action.ts'
import { usePages } from '../../api/use-pages.ts'
import { t, translate } from '../../text/text.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { Badge, Empty, Problem } from '../../ui/state.tsx'
import { AdministrationLayout } from './administration.tsx'
import { CollectionRuns, collectorPath } from './collection-runs.tsx'
import { matchVersion } from './match-version.ts'
import { NewSource } from './new-source.tsx'

/** Sources of collected documents and the runs on them. */
export default function CollectionPage() {
  const sources = usePages<Source>(`${collectorPath}/sources`, {})
  const runs = usePages<CollectionRun>(`${collectorPath}/runs`, {})
  const [creates, setCreates] = useState(false)
  return (
    <AdministrationLayout
      page="collection"
      actions={
        <button type="button" onClick={() => setCreates(true)}>
          {t('sources.create')}
        </button>
      }
    >
      <PagedList
        pages={sources}
        empty={<Empty title={t('sources.empty')} hint={t('sources.empty.hint')} />}
      >
        {(items) => (
          <ul class="rows panel-box">
            {items.map((source) => (
              <SourceRow
                key={source.id}
                source={source}
                onChange={sources.reload}
                onRun={runs.reload}
              />
            ))}
          </ul>
        )}
      </PagedList>
      <CollectionRuns runs={runs} sources={sources.items} />
      {creates && <NewSource onCreate={sources.reload} onClose={() => setCreates(false)} />}
    </AdministrationLayout>
  )
}

interface SourceRowProps {
  source: Source
  onChange: () => void
  onRun: () => void
}

function SourceRow({ source, onChange, onRun }: SourceRowProps) {
  const action = useAction()
  const path = `${collectorPath}/sources/${source.id}`
  const start = async () => {
    await request(`${path}/runs`, { method: 'POST' })
    onRun()
  }
  const remove = async () => {
    await request(path, { method: 'DELETE', headers: matchVersion(source) })
    onChange()
  }
  return (
    <li class="todo">
      <span>
        <strong>{source.name}</strong>
        <span class="faint">{source.url}</span>
        {source.schedule && <span class="faint code">{source.schedule}</span>}
        {action.error !== undefined && <Problem error={action.error} />}
      </span>
      <span class="row-details">
        <Badge tone="neutral" text={translate('sourceKind', source.kind)} />
        {!source.enabled && <Badge tone="warn" text={t('sources.disabled')} />}
        {source.kind !== 'upload' && (
          <button
            type="button"
            disabled={action.isRunning}
            aria-label={t('sources.run.of', { name: source.name })}
            onClick={() => action.run(start)}
          >
            {t('sources.run')}
          </button>
        )}
        <ConfirmButton
          text={t('record.delete')}
          label={t('record.delete.of', { name: source.name })}
          onConfirm={() => action.run(remove)}
        />
      </span>
    </li>
  )
}
