import { useState } from 'preact/hooks'
import type { CalculationStep } from '../../api/types.ts'
import { t, translate } from '../../text/text.ts'
import {
  type Calculation,
  formatFormula,
  formatLabel,
  formatStepResult,
  formatValue,
  localizeTitle,
  type Reading,
} from './calculation.ts'

/** A calculation with every step, and the other readings of the law beside it where courts differ. */
export function CalculationView({ calculation }: { calculation: Calculation }) {
  const { calculator, alternatives, tables } = calculation
  return (
    <>
      {alternatives.length > 0 && <p class="notice">{t('calculators.alternatives')}</p>}
      <div class="readings">
        <ReadingView
          calculator={calculator}
          reading={calculation}
          title={t(alternatives.length > 0 ? 'calculators.mainReading' : 'calculators.result')}
        />
        {alternatives.map((alternative, index) => (
          <ReadingView
            key={index}
            calculator={calculator}
            reading={alternative}
            title={localizeTitle(alternative.label)}
          />
        ))}
      </div>
      <p class="faint">{t('calculators.asOf', { day: calculation.as_of })}</p>
      {tables.map(({ name, source, through }) => (
        <p key={name} class="faint">
          {t('calculators.table', { name: translate('rateTable', name), source, day: through })}
        </p>
      ))}
      <CopyLink />
    </>
  )
}

interface ReadingViewProps {
  calculator: string
  reading: Reading
  title: string
}

const ReadingView = ({ calculator, reading, title }: ReadingViewProps) => (
  <section class="panel-box" aria-label={title}>
    <h2>{title}</h2>
    <dl class="figures">
      {Object.entries(reading.result)
        .filter(([, value]) => !Array.isArray(value))
        .map(([name, value]) => (
          <div key={name}>
            <dt>{formatLabel(calculator, name)}</dt>
            <dd>{formatValue(name, value)}</dd>
          </div>
        ))}
    </dl>
    {Object.entries(reading.result).map(
      ([name, value]) =>
        Array.isArray(value) &&
        value.length > 0 && (
          <RowsTable key={name} label={formatLabel(calculator, name)} rows={value} />
        ),
    )}
    <h3>{t('calculators.steps')}</h3>
    <ol class="steps">
      {reading.steps.map((step, index) => (
        <StepView key={index} calculator={calculator} step={step} />
      ))}
    </ol>
  </section>
)

/** Rows of a result, as the periods of interest. */
function RowsTable({ label, rows }: { label: string; rows: Record<string, unknown>[] }) {
  const names = Object.keys(rows[0]!)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: A keyboard scrolls a wide table.
    <section class="table-scroll" tabIndex={0} aria-label={label}>
      <table>
        <caption>{label}</caption>
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col">
                {translate('value', name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {names.map((name) => (
                <td key={name} class={typeof row[name] === 'number' ? 'number' : undefined}>
                  {formatValue(name, row[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const StepView = ({ calculator, step }: { calculator: string; step: CalculationStep }) => (
  <li>
    <div class="step">
      <strong>{localizeTitle(step.title)}</strong>
      <span class="number">{formatStepResult(step.result)}</span>
    </div>
    <p class="formula">{formatFormula(step.formula)}</p>
    <p class="faint">
      {Object.entries(step.inputs)
        .map(([name, value]) => `${formatLabel(calculator, name)}: ${formatValue(name, value)}`)
        .join(' · ')}
    </p>
    <p class="faint">
      {step.articles.map(({ law, article }) => `《${law}》${article}`).join('、')}
    </p>
  </li>
)

function CopyLink() {
  const [copied, setCopied] = useState(false)
  async function copy() {
    await navigator.clipboard.writeText(location.href)
    setCopied(true)
  }
  return (
    <p>
      <button type="button" onClick={copy}>
        {t('calculators.copyLink')}
      </button>
      {copied && (
        <span class="faint" role="status">
          {` ${t('calculators.copied')}`}
        </span>
      )}
    </p>
  )
}
