import { useState } from 'preact/hooks'
import { ApiError, request } from '../../api/client.ts'
import type { SeedPackage, SeedRun } from '../../api/types.ts'
import { useAction } from '../../api/use-action.ts'
import { t, translate } from '../../text/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Badge, Loading, Problem } from '../../ui/state.tsx'
import { packagesPath, runTones } from './seed-runs.ts'

interface PackagePlanProps {
  seedPackage: SeedPackage
  plan: SeedRun
  onApply: () => void
  onClose: () => void
}

/** What an apply would create, change and delete. The apply is refused if the plan is another by then. */
export function PackagePlan({ seedPackage, plan, onApply, onClose }: PackagePlanProps) {
  const [applied, setApplied] = useState<SeedRun>()
  const action = useAction()
  const apply = () =>
    action.run(async () => {
      const run = await request<SeedRun>(`${packagesPath}/${seedPackage.package_id}/apply`, {
        method: 'POST',
        body: { force: plan.force, expect_plan_hash: plan.plan_hash },
      })
      setApplied(run)
      onApply()
    })
  const isMoved = action.error instanceof ApiError && action.error.code === 'PLAN_MOVED'
  const shown = applied ?? plan
  return (
    <Dialog
      title={t('packages.planOf', { name: seedPackage.name ?? seedPackage.package_id })}
      onClose={onClose}
    >
      {applied && (
        <p role="status">
          <Badge tone={runTones[applied.status]} text={translate('seedRun', applied.status)} />
        </p>
      )}
      <div class="table-scroll">
        <table class="plan">
          <thead>
            <tr>
              <th scope="col">{t('packages.item')}</th>
              {(['created', 'updated', 'deleted', 'unchanged'] as const).map((name) => (
                <th key={name} scope="col">
                  {t(`packages.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.packages
              .flatMap(({ items }) => items)
              .map(({ item_id, status, counts, error }) => (
                <tr key={item_id}>
                  <th scope="row">
                    <span class="code">{item_id}</span>
                    <span class="faint">{` ${translate('itemStatus', status)}`}</span>
                    {error && <p class="field-error">{error}</p>}
                  </th>
                  <td class="number added">{signed('+', counts.created)}</td>
                  <td class="number changed">{signed('~', counts.updated)}</td>
                  <td class="number removed">{signed('−', counts.deleted)}</td>
                  <td class="number">{counts.unchanged}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
      {action.error !== undefined &&
        (isMoved ? (
          <p class="notice warn">{t('packages.moved')}</p>
        ) : (
          <Problem error={action.error} />
        ))}
      {action.isRunning && <Loading />}
      {!applied && (
        <button type="button" class="primary" disabled={action.isRunning} onClick={apply}>
          {t('packages.apply')}
        </button>
      )}
    </Dialog>
  )
}

const signed = (sign: string, count: number) => (count === 0 ? '0' : `${sign}${count}`)
