import { useState } from 'preact/hooks'
import { type Page, request } from '../../api/client.ts'
import type { Tag, TagGroup } from '../../api/types.ts'
import { useAction } from '../../api/use-action.ts'
import { useLoad } from '../../api/use-load.ts'
import { usePages } from '../../api/use-pages.ts'
import { t } from '../../text/text.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { Empty, Problem } from '../../ui/state.tsx'

/** Tags by group. */
export function Tags() {
  const [group, setGroup] = useState('')
  const pages = usePages<Tag>('/api/v1/tags', { group_id: group })
  const groups = useLoad('tag groups', (signal) =>
    request<Page<TagGroup>>('/api/v1/tag-groups?size=200', { signal }),
  )
  const action = useAction()
  const remove = ({ id }: Tag) =>
    action.run(async () => {
      await request(`/api/v1/tags/${id}`, { method: 'DELETE' })
      pages.reload()
    })
  return (
    <>
      <div class="filters">
        <label>
          <span>{t('tags.group')}</span>
          <select value={group} onChange={({ currentTarget }) => setGroup(currentTarget.value)}>
            <option value="">{t('tags.anyGroup')}</option>
            {groups.data?.items.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <NewTag group={group} onCreate={pages.reload} />
      {action.error !== undefined && <Problem error={action.error} />}
      <PagedList pages={pages} empty={<Empty title={t('tags.empty')} />}>
        {(items) => (
          <ul class="rows">
            {items.map((tag) => (
              <li key={tag.id} class="todo">
                <span>
                  <strong>{tag.name}</strong>
                  <span class="faint code">{tag.key}</span>
                </span>
                <ConfirmButton
                  text={t('record.delete')}
                  label={t('record.delete.of', { name: tag.name })}
                  onConfirm={() => remove(tag)}
                />
              </li>
            ))}
          </ul>
        )}
      </PagedList>
    </>
  )
}

function NewTag({ group, onCreate }: { group: string; onCreate: () => void }) {
  const [key, setKey] = useState('')
  const [name, setName] = useState('')
  const action = useAction()
  const create = (event: Event) => {
    event.preventDefault()
    action.run(async () => {
      const body = { key, name, ...(group && { group_id: group }) }
      await request('/api/v1/tags', { method: 'POST', body })
      setKey('')
      setName('')
      onCreate()
    })
  }
  return (
    <form class="filters" onSubmit={create}>
      <label>
        <span>{t('record.key')}</span>
        <input
          type="text"
          required
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
      </label>
      <label>
        <span>{t('record.name')}</span>
        <input
          type="text"
          required
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={action.isRunning}>
        {t('tags.create')}
      </button>
      {action.error !== undefined && <Problem error={action.error} />}
    </form>
  )
}
