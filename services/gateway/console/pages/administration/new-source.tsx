import { useState } from 'preact/hooks'
import { type Page, request } from '../../api/client.ts'
import type { KnowledgeBase, Source } from '../../api/types.ts'
import { useAction } from '../../api/use-action.ts'
import { useLoad } from '../../api/use-load.ts'
import { t, translate } from '../../text/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/state.tsx'
import { collectorPath } from './collection-runs.tsx'

const kinds: Source['kind'][] = ['http', 'sitemap', 'rss', 'upload']

interface NewSourceProps {
  onCreate: () => void
  onClose: () => void
}

/** Dialog that creates a source. */
export function NewSource({ onCreate, onClose }: NewSourceProps) {
  const [draft, setDraft] = useState({
    name: '',
    kind: 'http' as Source['kind'],
    url: '',
    schedule: '',
    kb_id: '',
  })
  const bases = useLoad('bases', (signal) =>
    request<Page<KnowledgeBase>>('/knowledge-service/api/v1/knowledge/bases?size=200', { signal }),
  )
  const action = useAction()
  const change = (name: keyof typeof draft) => (event: { currentTarget: { value: string } }) =>
    setDraft({ ...draft, [name]: event.currentTarget.value })
  const create = (event: Event) => {
    event.preventDefault()
    const { name, kind, url, schedule, kb_id } = draft
    const body = {
      name,
      kind,
      ...(url && { url }),
      ...(schedule && { schedule }),
      ...(kb_id && { kb_id }),
    }
    action.run(async () => {
      await request(`${collectorPath}/sources`, { method: 'POST', body })
      onCreate()
      onClose()
    })
  }
  return (
    <Dialog title={t('sources.create')} onClose={onClose}>
      <form class="inputs" onSubmit={create}>
        <label class="input-field">
          {t('record.name')}
          <input type="text" required value={draft.name} onInput={change('name')} />
        </label>
        <label class="input-field">
          {t('sources.kind')}
          <select value={draft.kind} onChange={change('kind')}>
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {translate('sourceKind', kind)}
              </option>
            ))}
          </select>
        </label>
        {draft.kind !== 'upload' && (
          <>
            <label class="input-field">
              {t('sources.url')}
              <input type="url" required value={draft.url} onInput={change('url')} />
            </label>
            <label class="input-field">
              {t('sources.schedule')}
              <input type="text" value={draft.schedule} onInput={change('schedule')} />
            </label>
          </>
        )}
        <label class="input-field">
          {t('sources.base')}
          <select value={draft.kb_id} onChange={change('kb_id')}>
            <option value="">{t('sources.noBase')}</option>
            {bases.data?.items
              .filter(({ system }) => !system)
              .map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
          </select>
        </label>
        {action.error !== undefined && <Problem error={action.error} />}
        <button type="submit" class="primary" disabled={action.isRunning}>
          {t('sources.create')}
        </button>
      </form>
    </Dialog>
  )
}
