import { formatMoney, t, translate } from '../../text/text.ts'
import { Badge, Empty, type Tone } from '../../ui/state.tsx'
import { type Analysis, formatBasis, type Issue, type Risk, type Strategy } from './analysis.ts'
import { sufficiencyTone } from './evidence-matrix.tsx'

const riskTone: Record<Risk['level'], Tone> = { low: 'good', medium: 'warn', high: 'bad' }

/** Risk, issues and strategies of the newest analysis. */
export function Assessment({ analysis }: { analysis: Analysis | undefined }) {
  if (!analysis) return <Empty title={t('assessment.empty')} hint={t('matter.analysis.hint')} />
  const { risk, issues, strategies } = analysis
  return (
    <>
      {risk && <RiskBox risk={risk} />}
      <section class="panel-box" aria-labelledby="issues">
        <h2 id="issues">{t('assessment.issues')}</h2>
        {issues.length === 0 && <p class="faint">{t('assessment.issues.empty')}</p>}
        {issues.map((issue) => (
          <IssueDetails key={issue.issue_id} issue={issue} />
        ))}
      </section>
      <section class="panel-box" aria-labelledby="strategies">
        <h2 id="strategies">{t('assessment.strategies')}</h2>
        {strategies.length === 0 && <p class="faint">{t('assessment.strategies.empty')}</p>}
        {strategies.map((strategy) => (
          <StrategyDetails key={strategy.strategy_id} strategy={strategy} />
        ))}
      </section>
    </>
  )
}

const RiskBox = ({ risk: { level, score, factors = [], other_side = [] } }: { risk: Risk }) => (
  <section class="panel-box" aria-labelledby="risk">
    <h2 id="risk">
      {t('assessment.risk')} <Badge tone={riskTone[level]} text={translate('risk', level)} />
    </h2>
    <label class="risk-score">
      <span>{t('assessment.score', { score })}</span>
      <meter min={0} low={33} high={66} optimum={0} max={100} value={score} />
    </label>
    <ul>
      {factors.map(({ factor_id, name, description }) => (
        <li key={factor_id}>
          <strong>{name}</strong>
          {description && <p class="faint">{description}</p>}
        </li>
      ))}
    </ul>
    {other_side.length > 0 && (
      <>
        <h3>{t('assessment.otherSide')}</h3>
        <ul>
          {other_side.map(({ attack }) => (
            <li key={attack}>{attack}</li>
          ))}
        </ul>
      </>
    )}
  </section>
)

const IssueDetails = ({ issue }: { issue: Issue }) => (
  <article class="finding">
    <h3>
      {issue.question}{' '}
      {issue.status && (
        <Badge tone={sufficiencyTone[issue.status]} text={translate('sufficiency', issue.status)} />
      )}
    </h3>
    {issue.claimant && <p>{issue.claimant}</p>}
    {issue.respondent && issue.respondent.length > 0 && (
      <p>
        {t('assessment.respondent', { names: issue.respondent.map(({ name }) => name).join('；') })}
      </p>
    )}
    {issue.legal_basis?.map((basis) => (
      <blockquote class="passage" key={formatBasis(basis)}>
        {basis.quote ?? ''}
        <footer class="faint">{formatBasis(basis)}</footer>
      </blockquote>
    ))}
  </article>
)

const StrategyDetails = ({ strategy }: { strategy: Strategy }) => {
  const { name, when, steps = [], recommended, cost, last_day, jurisdiction } = strategy
  return (
    <article class="finding">
      <h3>
        {name} {recommended && <Badge tone="good" text={t('assessment.recommended')} />}
      </h3>
      {when && <p class="faint">{when}</p>}
      <ol>
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {jurisdiction && <p>{jurisdiction}</p>}
      <p class="faint">
        {cost && t('assessment.cost', { low: formatMoney(cost.low), high: formatMoney(cost.high) })}
        {cost && last_day && ' · '}
        {last_day && t('assessment.lastDay', { day: last_day })}
      </p>
    </article>
  )
}
