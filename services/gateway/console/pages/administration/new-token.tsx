import { useState } from 'preact/hooks'
import { request } from '../../api/client.ts'
import { useAction } from '../../api/use-action.ts'
import { t, translate } from '../../text/text.ts'
import { Problem } from '../../ui/state.tsx'
import { Secret } from './secret.tsx'

const areas = ['consultations', 'matters', 'knowledge', 'files', 'collector', 'platform', 'ai']
const rights = ['read', 'write']

/** Form for an API token of one's own. The token is shown once. */
export function NewToken({ onCreate }: { onCreate: () => void }) {
  const [name, setName] = useState('')
  const [expires, setExpires] = useState('')
  const [scopes, setScopes] = useState<string[]>([])
  const [token, setToken] = useState<string>()
  const action = useAction()
  const toggle = (scope: string) =>
    setScopes(scopes.includes(scope) ? scopes.filter((each) => each !== scope) : [...scopes, scope])
  const create = (event: Event) => {
    event.preventDefault()
    action.run(async () => {
      const body = { name, scopes, ...(expires && { expires_at: `${expires}T00:00:00Z` }) }
      const created = await request<{ token: string }>('/auth/tokens', { method: 'POST', body })
      setToken(created.token)
      setName('')
      setScopes([])
      onCreate()
    })
  }
  return (
    <details class="new-record">
      <summary>{t('access.newToken')}</summary>
      <form class="inputs" onSubmit={create}>
        <label class="input-field">
          {t('record.name')}
          <input
            type="text"
            required
            maxLength={200}
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <label class="input-field">
          {t('access.expiry')}
          <input
            type="date"
            value={expires}
            onInput={({ currentTarget }) => setExpires(currentTarget.value)}
          />
        </label>
        <fieldset class="input-group">
          <legend>{t('access.scopes')}</legend>
          <div class="choices">
            {areas.flatMap((area) =>
              rights.map((right) => {
                const scope = `${area}:${right}`
                return (
                  <label class="check" key={scope}>
                    <input
                      type="checkbox"
                      checked={scopes.includes(scope)}
                      onChange={() => toggle(scope)}
                    />
                    {`${translate('area', area)} ${translate('right', right)}`}
                  </label>
                )
              }),
            )}
          </div>
        </fieldset>
        {action.error !== undefined && <Problem error={action.error} />}
        <button type="submit" class="primary" disabled={action.isRunning || scopes.length === 0}>
          {t('access.newToken')}
        </button>
      </form>
      {token && <Secret text={token} />}
    </details>
  )
}
