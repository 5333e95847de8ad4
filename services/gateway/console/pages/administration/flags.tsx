import { useState } from 'preact/hooks'
import { request } from '../../api/client.ts'
import type { FeatureFlag } from '../../api/types.ts'
import { useAction } from '../../api/use-action.ts'
import { usePages } from '../../api/use-pages.ts'
import { t } from '../../text/text.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { Badge, Empty, Problem } from '../../ui/state.tsx'
import { EditRecord, type RecordDraft } from './edit-record.tsx'
import { matchVersion } from './match-version.ts'

const path = '/api/v1/feature-flags'

/** Feature flags with their switches and rules. */
export function Flags() {
  const pages = usePages<FeatureFlag>(path, {})
  const [edited, setEdited] = useState<FeatureFlag | 'new'>()
  const action = useAction()
  const existing = edited === 'new' ? undefined : edited
  const update = async (flag: FeatureFlag, changes: object) => {
    await request(`${path}/${encodeURIComponent(flag.key)}`, {
      method: 'PUT',
      body: changes,
      headers: matchVersion(flag),
    })
    pages.reload()
  }
  const remove = async (flag: FeatureFlag) => {
    const target = `${path}/${encodeURIComponent(flag.key)}`
    await request(target, { method: 'DELETE', headers: matchVersion(flag) })
    pages.reload()
  }
  const save = async ({ key, description, json }: RecordDraft) => {
    if (existing) return update(existing, { description, rules: json })
    const body = { key, description, rules: json, enabled: false }
    await request(path, { method: 'POST', body })
    pages.reload()
  }
  return (
    <>
      <button type="button" class="section-action" onClick={() => setEdited('new')}>
        {t('flags.create')}
      </button>
      {action.error !== undefined && <Problem error={action.error} />}
      <PagedList pages={pages} empty={<Empty title={t('flags.empty')} />}>
        {(items) => (
          <ul class="rows">
            {items.map((flag) => (
              <li key={flag.key} class="todo">
                <span>
                  <strong class="code">{flag.key}</strong>
                  <span class="faint">{flag.description}</span>
                </span>
                <span class="row-details">
                  {flag.rules.length > 0 && (
                    <Badge tone="info" text={t('flags.rules', { count: flag.rules.length })} />
                  )}
                  <label class="check">
                    <input
                      type="checkbox"
                      checked={flag.enabled}
                      aria-label={t('flags.enabled.of', { name: flag.key })}
                      onChange={({ currentTarget }) =>
                        action.run(() => update(flag, { enabled: currentTarget.checked }))
                      }
                    />
                    {t('flags.enabled')}
                  </label>
                  <button
                    type="button"
                    aria-label={t('record.edit.of', { name: flag.key })}
                    onClick={() => setEdited(flag)}
                  >
                    {t('record.edit')}
                  </button>
                  <ConfirmButton
                    text={t('record.delete')}
                    label={t('record.delete.of', { name: flag.key })}
                    onConfirm={() => action.run(() => remove(flag))}
                  />
                </span>
              </li>
            ))}
          </ul>
        )}
      </PagedList>
      {edited !== undefined && (
        <EditRecord
          title={existing?.key ?? t('flags.create')}
          jsonLabel={t('flags.rulesJson')}
          existing={
            existing && {
              key: existing.key,
              description: existing.description,
              json: existing.rules,
            }
          }
          initialJson={[]}
          onSave={save}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}
