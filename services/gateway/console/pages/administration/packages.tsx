import { useState } from 'preact/hooks'
import { type Page, request } from '../../api/client.ts'
import type { SeedPackage, SeedRun } from '../../api/types.ts'
import { useAction } from '../../api/use-action.ts'
import { useLoad } from '../../api/use-load.ts'
import { usePages } from '../../api/use-pages.ts'
import { formatTime, t, translate } from '../../text/text.ts'
import { PagedList } from '../../ui/paged-list.tsx'
import { Badge, Empty, Loaded, Loading, Problem, type Tone } from '../../ui/state.tsx'
import { AdministrationLayout } from './administration.tsx'
import { PackagePlan } from './package-plan.tsx'
import { packagesPath, runTones } from './seed-runs.ts'

const tones: Record<SeedPackage['status'], Tone> = {
  new: 'info',
  changed: 'warn',
  applied: 'good',
  invalid: 'bad',
}

interface Planned {
  seedPackage: SeedPackage
  plan: SeedRun
}

/** Seed packages: a plan is shown before anything is applied. */
export default function PackagesPage() {
  const load = useLoad('packages', (signal) =>
    request<Page<SeedPackage>>(`${packagesPath}?size=200`, { signal }),
  )
  const runs = usePages<SeedRun>(`${packagesPath}/runs`, {})
  const [planned, setPlanned] = useState<Planned>()
  const action = useAction()
  const plan = (seedPackage: SeedPackage) =>
    action.run(async () => {
      const plan = await request<SeedRun>(`${packagesPath}/${seedPackage.package_id}/apply`, {
        method: 'POST',
        body: { dry_run: true, force: seedPackage.status === 'applied' },
      })
      setPlanned({ seedPackage, plan })
    })
  return (
    <AdministrationLayout page="packages">
      {action.isRunning && <Loading />}
      {action.error !== undefined && <Problem error={action.error} />}
      <Loaded load={load}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('packages.empty')} />
          ) : (
            <ul class="rows panel-box">
              {items.map((each) => (
                <li key={each.package_id} class="todo">
                  <span>
                    <strong>{each.name ?? each.package_id}</strong>
                    <span class="faint">{each.description}</span>
                    <span class="faint code">{`${each.package_id} ${each.version ?? ''}`}</span>
                  </span>
                  <span class="row-details">
                    <Badge
                      tone={tones[each.status]}
                      text={translate('packageStatus', each.status)}
                    />
                    <button
                      type="button"
                      disabled={action.isRunning || each.status === 'invalid'}
                      aria-label={t('packages.plan.of', { name: each.name ?? each.package_id })}
                      onClick={() => plan(each)}
                    >
                      {t('packages.plan')}
                    </button>
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <section class="panel-box" aria-labelledby="runs">
        <h2 id="runs">{t('packages.runs')}</h2>
        <PagedList pages={runs} empty={<p class="faint">{t('packages.runs.empty')}</p>}>
          {(items) => (
            <ul class="rows">
              {items.map((run) => (
                <li key={run.run_id} class="todo">
                  <span>
                    <strong>{run.packages.map((each) => each.package_id).join(', ')}</strong>
                    <span class="faint">
                      {`${formatTime(run.created_at)} · ${translate('actor', run.requested_by)}`}
                    </span>
                  </span>
                  <span class="row-details">
                    {run.dry_run && <Badge tone="neutral" text={t('packages.dryRun')} />}
                    <Badge tone={runTones[run.status]} text={translate('seedRun', run.status)} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </PagedList>
      </section>
      {planned && (
        <PackagePlan
          {...planned}
          onApply={() => {
            load.reload()
            runs.reload()
          }}
          onClose={() => setPlanned(undefined)}
        />
      )}
    </AdministrationLayout>
  )
}
