import { formatNumber, t } from '../../text/text.ts'

/** Limits in tokens; null: no limit. */
export interface UsageBudgets {
  organization: number | null
  user: number | null
  matter: number | null
  used_this_month: number | null
}

/** Token budgets, and how much of the budget of the organization is used. */
export function Budgets({ budgets }: { budgets: UsageBudgets }) {
  const { organization, used_this_month } = budgets
  const used = used_this_month ?? 0
  return (
    <section class="panel-box" aria-labelledby="budgets">
      <h2 id="budgets">{t('budgets.title')}</h2>
      {organization !== null && (
        <label class="risk-score">
          <span>
            {t('budgets.used', { used: formatNumber(used), limit: formatNumber(organization) })}
          </span>
          <meter
            min={0}
            low={organization * 0.75}
            high={organization * 0.9}
            optimum={0}
            max={organization}
            value={used}
          />
        </label>
      )}
      <dl class="figures">
        {(['organization', 'user', 'matter'] as const).map((name) => {
          const limit = budgets[name]
          return (
            <div key={name}>
              <dt>{t(`budgets.${name}`)}</dt>
              <dd>{limit === null ? t('budgets.none') : formatNumber(limit)}</dd>
            </div>
          )
        })}
      </dl>
      <p class="faint">{t('budgets.hint')}</p>
    </section>
  )
}
