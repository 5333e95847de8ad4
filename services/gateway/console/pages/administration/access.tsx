import { request } from '../../api/client.ts'
import type { OwnedSession, OwnedToken } from '../../api/types.ts'
import { useAction } from '../../api/use-action.ts'
import { usePages } from '../../api/use-pages.ts'
import { navigate, usePlace } from '../../router.ts'
import { formatTime, t } from '../../text/text.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Badge, Empty, Problem } from '../../ui/state.tsx'
import { AdministrationLayout } from './administration.tsx'
import { NewToken } from './new-token.tsx'

/** Sessions and API tokens of all people of the organization. */
export default function AccessPage() {
  const { query } = usePlace()
  const user_id = query.get('user_id') ?? ''
  const sessions = usePages<OwnedSession>('/auth/admin/sessions', { user_id })
  const tokens = usePages<OwnedToken>('/auth/admin/tokens', { user_id })
  const action = useAction()
  const end = (path: string, reload: () => void) =>
    action.run(async () => {
      await request(path, { method: 'DELETE' })
      reload()
    })
  return (
    <AdministrationLayout page="access">
      <div class="filters">
        <SearchField
          label={t('access.user')}
          value={user_id}
          onSearch={(value) =>
            navigate(
              value === ''
                ? '/administration/access'
                : `/administration/access?${new URLSearchParams({ user_id: value })}`,
              { replace: true },
            )
          }
        />
      </div>
      {action.error !== undefined && <Problem error={action.error} />}
      <section class="panel-box" aria-labelledby="sessions">
        <h2 id="sessions">{t('access.sessions')}</h2>
        <PagedList pages={sessions} empty={<Empty title={t('access.sessions.empty')} />}>
          {(items) => (
            <ul class="rows">
              {items.map((session) => (
                <li key={session.id} class="todo">
                  <span>
                    <strong>{session.user_id}</strong>
                    <span class="faint">{`${session.address} · ${session.user_agent}`}</span>
                    <span class="faint">
                      {t('access.seen', { time: formatTime(session.last_seen_at) })}
                    </span>
                  </span>
                  {session.current ? (
                    <Badge tone="good" text={t('access.current')} />
                  ) : (
                    <ConfirmButton
                      text={t('access.end')}
                      label={t('access.end.of', { name: session.user_id })}
                      onConfirm={() => end(`/auth/admin/sessions/${session.id}`, sessions.reload)}
                    />
                  )}
                </li>
              ))}
            </ul>
          )}
        </PagedList>
      </section>
      <section class="panel-box" aria-labelledby="tokens">
        <h2 id="tokens">{t('access.tokens')}</h2>
        <NewToken onCreate={tokens.reload} />
        <PagedList pages={tokens} empty={<Empty title={t('access.tokens.empty')} />}>
          {(items) => (
            <ul class="rows">
              {items.map((token) => (
                <li key={token.id} class="todo">
                  <span>
                    <strong>{token.name}</strong>
                    <span class="faint">{`${token.user_id} · ${token.scopes.join(' ')}`}</span>
                    <span class="faint">{lastUse(token)}</span>
                  </span>
                  <ConfirmButton
                    text={t('access.revoke')}
                    label={t('access.revoke.of', { name: token.name })}
                    onConfirm={() => end(`/auth/admin/tokens/${token.id}`, tokens.reload)}
                  />
                </li>
              ))}
            </ul>
          )}
        </PagedList>
      </section>
    </AdministrationLayout>
  )
}

const lastUse = ({ last_used_at, expires_at }: OwnedToken) =>
  [
    last_used_at ? t('access.used', { time: formatTime(last_used_at) }) : t('access.unused'),
    expires_at ? t('access.expires', { time: formatTime(expires_at) }) : t('access.noExpiry'),
  ].join(' · ')
