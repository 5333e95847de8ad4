import { request, withQuery } from '../../api/client.ts'
import { useLoad } from '../../api/use-load.ts'
import { navigate, usePlace } from '../../router.ts'
import { formatNumber, t } from '../../text/text.ts'
import { Empty, Loaded } from '../../ui/state.tsx'
import { AdministrationLayout } from './administration.tsx'
import { Budgets, type UsageBudgets } from './budgets.tsx'
import { DayChart } from './day-chart.tsx'
import { sumTokens, type UsageDay, type UsageSum } from './usage-sum.ts'

const groups = ['skill', 'model', 'user_id'] as const
type Group = (typeof groups)[number]
interface Stats {
  total: UsageSum
  by_skill: (UsageSum & { skill: string | null })[]
  by_model: (UsageSum & { model: string | null })[]
  by_user: (UsageSum & { user_id: string | null })[]
  by_day: UsageDay[]
  budgets: UsageBudgets
}

/** Tokens of the models by day, skill, model and person. */
export default function UsagePage() {
  const { query } = usePlace()
  const from = query.get('from') ?? ''
  const to = query.get('to') ?? ''
  const load = useLoad(`usage ${from} ${to}`, (signal) =>
    request<Stats>(
      withQuery('/api/v1/ai/admin/usage/stats', {
        from: from && `${from}T00:00:00Z`,
        to: to && `${to}T23:59:59.999Z`,
      }),
      { signal },
    ),
  )
  const setDay = (name: 'from' | 'to') => (event: { currentTarget: HTMLInputElement }) =>
    navigate(withQuery('/administration/usage', { from, to, [name]: event.currentTarget.value }), {
      replace: true,
    })
  return (
    <AdministrationLayout page="usage">
      <div class="filters">
        <label>
          <span>{t('usage.from')}</span>
          <input type="date" value={from} onChange={setDay('from')} />
        </label>
        <label>
          <span>{t('usage.to')}</span>
          <input type="date" value={to} onChange={setDay('to')} />
        </label>
      </div>
      <Loaded load={load}>
        {(stats) => (
          <>
            <Budgets budgets={stats.budgets} />
            {stats.total.calls === 0 ? (
              <Empty title={t('usage.empty')} hint={t('usage.empty.hint')} />
            ) : (
              <>
                <Totals total={stats.total} />
                <DayChart days={stats.by_day} />
                <div class="readings">
                  <GroupTable group="skill" rows={stats.by_skill} />
                  <GroupTable group="model" rows={stats.by_model} />
                  <GroupTable group="user_id" rows={stats.by_user} />
                </div>
              </>
            )}
          </>
        )}
      </Loaded>
    </AdministrationLayout>
  )
}

const Totals = ({ total }: { total: UsageSum }) => (
  <dl class="figures panel-box">
    {(['calls', 'input_tokens', 'output_tokens', 'cached_tokens'] as const).map((name) => (
      <div key={name}>
        <dt>{t(`usage.${name}`)}</dt>
        <dd>{formatNumber(total[name])}</dd>
      </div>
    ))}
  </dl>
)

type GroupRow = UsageSum & Partial<Record<Group, string | null>>

const GroupTable = ({ group, rows }: { group: Group; rows: GroupRow[] }) => {
  const most = Math.max(1, ...rows.map(sumTokens))
  return (
    <section class="panel-box usage-group" aria-label={t(`usage.by.${group}`)}>
      <table>
        <caption>{t(`usage.by.${group}`)}</caption>
        <tbody>
          {rows
            .toSorted((one, other) => sumTokens(other) - sumTokens(one))
            .map((row) => (
              <tr key={row[group]}>
                <th scope="row">{row[group] ?? t('usage.unknown')}</th>
                <td>
                  <meter
                    min={0}
                    max={most}
                    value={sumTokens(row)}
                    aria-label={t('usage.share', { name: row[group] ?? t('usage.unknown') })}
                  />
                </td>
                <td class="number">{formatNumber(sumTokens(row))}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  )
}
