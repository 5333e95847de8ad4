import { useState } from 'preact/hooks'
import { request } from '../../api/client.ts'
import type { SystemConfig } from '../../api/types.ts'
import { useAction } from '../../api/use-action.ts'
import { usePages } from '../../api/use-pages.ts'
import { formatTime, t } from '../../text/text.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { Empty, Problem } from '../../ui/state.tsx'
import { EditRecord, type RecordDraft } from './edit-record.tsx'
import { matchVersion } from './match-version.ts'

const path = '/api/v1/configs'

/** Configuration of the suite. */
export function Configs() {
  const pages = usePages<SystemConfig>(path, {})
  const [edited, setEdited] = useState<SystemConfig | 'new'>()
  const action = useAction()
  const existing = edited === 'new' ? undefined : edited
  const save = async ({ key, description, json }: RecordDraft) => {
    await (existing
      ? request(`${path}/${encodeURIComponent(key)}`, {
          method: 'PUT',
          body: { value: json, description },
          headers: matchVersion(existing),
        })
      : request(path, { method: 'POST', body: { key, value: json, description } }))
    pages.reload()
  }
  const remove = (config: SystemConfig) =>
    action.run(async () => {
      const target = `${path}/${encodeURIComponent(config.key)}`
      await request(target, { method: 'DELETE', headers: matchVersion(config) })
      pages.reload()
    })
  return (
    <>
      <button type="button" class="section-action" onClick={() => setEdited('new')}>
        {t('configs.create')}
      </button>
      {action.error !== undefined && <Problem error={action.error} />}
      <PagedList pages={pages} empty={<Empty title={t('configs.empty')} />}>
        {(items) => (
          <ul class="rows">
            {items.map((config) => (
              <li key={config.key} class="todo">
                <span>
                  <strong class="code">{config.key}</strong>
                  <span class="faint">{config.description}</span>
                  <span class="faint">
                    {t('record.version', {
                      version: config.version,
                      time: formatTime(config.updated_at),
                    })}
                  </span>
                </span>
                <span class="row-details">
                  <button
                    type="button"
                    aria-label={t('record.edit.of', { name: config.key })}
                    onClick={() => setEdited(config)}
                  >
                    {t('record.edit')}
                  </button>
                  <ConfirmButton
                    text={t('record.delete')}
                    label={t('record.delete.of', { name: config.key })}
                    onConfirm={() => remove(config)}
                  />
                </span>
              </li>
            ))}
          </ul>
        )}
      </PagedList>
      {edited !== undefined && (
        <EditRecord
          title={existing?.key ?? t('configs.create')}
          jsonLabel={t('configs.value')}
          existing={
            existing && {
              key: existing.key,
              description: existing.description,
              json: existing.value,
            }
          }
          initialJson={{}}
          onSave={save}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}
