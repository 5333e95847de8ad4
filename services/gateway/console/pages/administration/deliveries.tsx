import { request } from '../../api/client.ts'
import type { Webhook } from '../../api/types.ts'
import { useAction } from '../../api/use-action.ts'
import { useLoad } from '../../api/use-load.ts'
import { formatTime, t } from '../../text/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Badge, Loaded, Problem } from '../../ui/state.tsx'
import { webhooksPath } from './webhooks-path.ts'

interface WebhookDetails extends Webhook {
  deliveries: {
    event_id: string
    attempts: number
    delivered_at: string | null
    response_status: number | null
    error: string | null
    created_at: string
  }[]
}

/** The newest deliveries of a webhook. An event can be delivered again. */
export function Deliveries({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const load = useLoad(`webhook ${webhook.id}`, (signal) =>
    request<WebhookDetails>(`${webhooksPath}/${webhook.id}`, { signal }),
  )
  const action = useAction()
  const redeliver = (event_id: string) =>
    action.run(async () => {
      const path = `${webhooksPath}/${webhook.id}/redeliver`
      await request(path, { method: 'POST', body: { event_id } })
      load.reload()
    })
  return (
    <Dialog title={t('webhooks.deliveries.of', { url: webhook.url })} onClose={onClose}>
      {action.error !== undefined && <Problem error={action.error} />}
      <Loaded load={load}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <p class="faint">{t('webhooks.deliveries.empty')}</p>
          ) : (
            <ul class="rows">
              {deliveries.map((delivery) => (
                <li key={delivery.event_id} class="todo">
                  <span>
                    <strong>{formatTime(delivery.created_at)}</strong>
                    <span class="faint">
                      {t('webhooks.attempts', { count: delivery.attempts })}
                      {delivery.error && ` · ${delivery.error}`}
                    </span>
                  </span>
                  <span class="row-details">
                    <Badge
                      tone={delivery.delivered_at ? 'good' : 'warn'}
                      text={
                        delivery.response_status === null
                          ? t(delivery.delivered_at ? 'webhooks.delivered' : 'webhooks.waiting')
                          : String(delivery.response_status)
                      }
                    />
                    <button type="button" onClick={() => redeliver(delivery.event_id)}>
                      {t('webhooks.redeliver')}
                    </button>
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  )
}
