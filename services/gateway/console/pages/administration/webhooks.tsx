import { useState } from 'preact/hooks'
import { request } from '../../api/client.ts'
import type { Webhook } from '../../api/types.ts'
import { useAction } from '../../api/use-action.ts'
import { usePages } from '../../api/use-pages.ts'
import { t, translate } from '../../text/text.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { Empty, Problem } from '../../ui/state.tsx'
import { AdministrationLayout } from './administration.tsx'
import { Deliveries } from './deliveries.tsx'
import { Secret } from './secret.tsx'
import { webhooksPath } from './webhooks-path.ts'

const eventTypes: Webhook['types'] = [
  'matter.updated',
  'todo.updated',
  'card.created',
  'card.answered',
  'deliverable.released',
  'job.updated',
]

/** Webhooks of the organization. */
export default function WebhooksPage() {
  const pages = usePages<Webhook>(webhooksPath, {})
  const [opened, setOpened] = useState<Webhook>()
  const action = useAction()
  const remove = ({ id }: Webhook) =>
    action.run(async () => {
      await request(`${webhooksPath}/${id}`, { method: 'DELETE' })
      pages.reload()
    })
  return (
    <AdministrationLayout page="webhooks">
      <NewWebhook onCreate={pages.reload} />
      {action.error !== undefined && <Problem error={action.error} />}
      <PagedList
        pages={pages}
        empty={<Empty title={t('webhooks.empty')} hint={t('webhooks.empty.hint')} />}
      >
        {(items) => (
          <ul class="rows panel-box">
            {items.map((webhook) => (
              <li key={webhook.id} class="todo">
                <span>
                  <strong>{webhook.url}</strong>
                  <span class="faint">
                    {webhook.types.map((type) => translate('eventType', type)).join('、')}
                  </span>
                </span>
                <span class="row-details">
                  <button
                    type="button"
                    aria-label={t('webhooks.deliveries.of', { url: webhook.url })}
                    onClick={() => setOpened(webhook)}
                  >
                    {t('webhooks.deliveries')}
                  </button>
                  <ConfirmButton
                    text={t('record.delete')}
                    label={t('record.delete.of', { name: webhook.url })}
                    onConfirm={() => remove(webhook)}
                  />
                </span>
              </li>
            ))}
          </ul>
        )}
      </PagedList>
      {opened && <Deliveries webhook={opened} onClose={() => setOpened(undefined)} />}
    </AdministrationLayout>
  )
}

function NewWebhook({ onCreate }: { onCreate: () => void }) {
  const [url, setUrl] = useState('')
  const [types, setTypes] = useState(eventTypes)
  const [secret, setSecret] = useState<string>()
  const action = useAction()
  const create = (event: Event) => {
    event.preventDefault()
    action.run(async () => {
      const body = { url, types }
      const created = await request<{ secret: string }>(webhooksPath, { method: 'POST', body })
      setSecret(created.secret)
      setUrl('')
      onCreate()
    })
  }
  return (
    <form class="panel-box inputs" onSubmit={create}>
      <label class="input-field">
        {t('webhooks.url')}
        <input
          type="url"
          required
          value={url}
          onInput={({ currentTarget }) => setUrl(currentTarget.value)}
        />
      </label>
      <fieldset class="input-group">
        <legend>{t('webhooks.types')}</legend>
        <div class="choices">
          {eventTypes.map((type) => (
            <label class="check" key={type}>
              <input
                type="checkbox"
                checked={types.includes(type)}
                onChange={({ currentTarget: { checked } }) =>
                  setTypes(checked ? [...types, type] : types.filter((each) => each !== type))
                }
              />
              {translate('eventType', type)}
            </label>
          ))}
        </div>
      </fieldset>
      {action.error !== undefined && <Problem error={action.error} />}
      <button type="submit" class="primary" disabled={action.isRunning || types.length === 0}>
        {t('webhooks.create')}
      </button>
      {secret && <Secret text={secret} />}
    </form>
  )
}
