import { useState } from 'preact/hooks'
import { request, withQuery } from '../../api/client.ts'
import type { AuditLog, AuditVerification, Verdict } from '../../api/types.ts'
import { useAction } from '../../api/use-action.ts'
import { usePages } from '../../api/use-pages.ts'
import { navigate, usePlace } from '../../router.ts'
import { formatNumber, formatTime, t } from '../../text/text.ts'
import { PagedList } from '../../ui/paged-list.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty, Problem } from '../../ui/state.tsx'
import { AdministrationLayout } from './administration.tsx'

const path = '/api/v1/audit-logs'
const filterNames = ['actor', 'action', 'resource'] as const

/** The audit log with filters and the verification of its chain. */
export default function AuditPage() {
  const { query } = usePlace()
  const filters = Object.fromEntries(
    filterNames.map((name) => [name, query.get(name) ?? '']),
  ) as Record<(typeof filterNames)[number], string>
  const pages = usePages<AuditLog>(path, filters)
  return (
    <AdministrationLayout
      page="audit"
      actions={
        <a class="button" href={`${path}/export`} download>
          {t('audit.export')}
        </a>
      }
    >
      <Verification />
      <div class="filters">
        {filterNames.map((name) => (
          <SearchField
            key={name}
            label={t(`audit.filter.${name}`)}
            value={filters[name]}
            onSearch={(value) =>
              navigate(withQuery('/administration/audit', { ...filters, [name]: value }), {
                replace: true,
              })
            }
          />
        ))}
      </div>
      <PagedList pages={pages} empty={<Empty title={t('audit.empty')} />}>
        {(items) => (
          <ol class="rows panel-box">
            {items.map((entry) => (
              <li key={entry.id} class="event">
                <strong class="code">{entry.action}</strong>
                <span class="faint event-source">
                  {`${entry.resource} · ${entry.actor} · ${formatTime(entry.created_at)}`}
                </span>
                <details>
                  <summary>{t('audit.details')}</summary>
                  <pre>{JSON.stringify({ ...entry.details, hash: entry.hash }, null, 2)}</pre>
                </details>
              </li>
            ))}
          </ol>
        )}
      </PagedList>
    </AdministrationLayout>
  )
}

const pollMs = 1_000

/** Verifies the chain. A long chain is verified by a job. */
async function verifyChain(): Promise<Verdict> {
  const started = await request<Verdict | { job_id: string }>(`${path}/verify`)
  if (!('job_id' in started)) return started
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    const { status, result } = await request<AuditVerification>(`${path}/verify/${started.job_id}`)
    if (result) return result
    if (status === 'FAILED') throw new Error('The verification failed.')
  }
}

function Verification() {
  const [verdict, setVerdict] = useState<Verdict>()
  const action = useAction()
  return (
    <div class="row-details">
      <button
        type="button"
        disabled={action.isRunning}
        onClick={() => action.run(async () => setVerdict(await verifyChain()))}
      >
        {t('audit.verify')}
      </button>
      <span role="status">
        {verdict && (
          <span class={verdict.valid ? 'notice' : 'notice bad'}>
            {verdict.valid
              ? t('audit.valid', { count: formatNumber(verdict.checked) })
              : t('audit.broken', {
                  entry: verdict.first_broken ?? '',
                  reason: verdict.reason ?? '',
                })}
          </span>
        )}
      </span>
      {action.error !== undefined && <Problem error={action.error} />}
    </div>
  )
}
