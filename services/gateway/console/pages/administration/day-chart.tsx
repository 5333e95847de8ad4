import { formatNumber, t } from '../../text/text.ts'
import { sumTokens, type UsageDay } from './usage-sum.ts'

const chartHeight = 160
const barWidth = 28
const barGap = 8

/** Tokens of each day as bars, input below output, and the same as a table. */
export function DayChart({ days }: { days: UsageDay[] }) {
  const most = Math.max(1, ...days.map(sumTokens))
  const heightOf = (tokens: number) => (tokens / most) * chartHeight
  const width = days.length * (barWidth + barGap)
  return (
    <section class="panel-box" aria-label={t('usage.days')}>
      <h2>{t('usage.days')}</h2>
      <div class="graph-scroll chart">
        <svg width={width} height={chartHeight + 24} aria-hidden="true">
          {days.map(({ day, input_tokens, output_tokens }, index) => {
            const x = index * (barWidth + barGap)
            const input = heightOf(input_tokens)
            const output = heightOf(output_tokens)
            return (
              <g key={day}>
                <rect
                  class="bar input"
                  x={x}
                  y={chartHeight - input}
                  width={barWidth}
                  height={input}
                />
                <rect
                  class="bar output"
                  x={x}
                  y={chartHeight - input - output}
                  width={barWidth}
                  height={output}
                />
                <text x={x + barWidth / 2} y={chartHeight + 16} text-anchor="middle">
                  {day.slice(8)}
                </text>
              </g>
            )
          })}
        </svg>
      </div>
      <details>
        <summary>{t('usage.table')}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('usage.day')}</th>
              <th scope="col">{t('usage.input_tokens')}</th>
              <th scope="col">{t('usage.output_tokens')}</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, input_tokens, output_tokens }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td class="number">{formatNumber(input_tokens)}</td>
                <td class="number">{formatNumber(output_tokens)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}
