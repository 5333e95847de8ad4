import type { Matter } from '../../api/types.ts'
import { currentLanguage, formatMoney, formatNumber, t } from '../../text/text.ts'
import { Empty } from '../../ui/state.tsx'
import { formatBasis, type LegalBasis } from './analysis.ts'

type Title = Record<'zh' | 'en', string>

interface Step {
  title: Title
  formula: string
  inputs: Record<string, unknown>
  result: unknown
  articles: LegalBasis[]
}

interface Calculation {
  calculator: string
  title: Title
  steps: Step[]
}

interface CalculationProduct {
  claims?: { name: string; amount: number }[]
  calculations?: Calculation[]
}

/** Claims and the calculations behind them, step by step with their articles. */
export function Calculations({ matter }: { matter: Matter }) {
  const products = matter.data.work_product as { calculation?: CalculationProduct } | undefined
  const { claims = [], calculations = [] } = products?.calculation ?? {}
  if (claims.length === 0 && calculations.length === 0) {
    return <Empty title={t('calculations.empty')} hint={t('matter.analysis.hint')} />
  }
  return (
    <>
      {claims.length > 0 && (
        <section class="panel-box" aria-labelledby="claims">
          <h2 id="claims">{t('calculations.claims')}</h2>
          <table>
            <tbody>
              {claims.map(({ name, amount }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td class="number">{formatMoney(amount)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {calculations.map((calculation, index) => (
        <section class="panel-box" key={index} aria-label={calculation.title[currentLanguage()]}>
          <h2>{calculation.title[currentLanguage()]}</h2>
          <ol class="steps">
            {calculation.steps.map((step, index) => (
              <StepDetails key={index} step={step} />
            ))}
          </ol>
        </section>
      ))}
    </>
  )
}

const StepDetails = ({ step }: { step: Step }) => (
  <li>
    <div class="step">
      <strong>{step.title[currentLanguage()]}</strong>
      <span class="number">{formatValue(step.result)}</span>
    </div>
    <p class="faint">{insertInputs(step)}</p>
    <p class="faint">{step.articles.map(formatBasis).join('、')}</p>
  </li>
)

const formatValue = (value: unknown): string =>
  typeof value === 'number' ? formatNumber(value) : typeof value === 'string' ? value : ''

/** The formula with the values of its inputs in place of their names. A rule in words is English. */
function insertInputs({ formula, inputs }: Step): string {
  if (!/[×÷+−]/.test(formula)) return currentLanguage() === 'en' ? formula : ''
  return formula.replaceAll(/[a-z_]+/g, (name) => formatValue(inputs[name]) || name)
}
