import { useState } from 'preact/hooks'
import type { TraceDetail } from '../../api/types.ts'
import { formatNumber, t, translate } from '../../text/text.ts'
import { Empty } from '../../ui/state.tsx'
import { arrangeSpans, type Span } from './arrange-spans.ts'

/** Units of the width of the picture. */
const chartWidth = 1_000

/** Spans as bars over time, children below their parents. A chosen span shows its details. */
export function Waterfall({ spans }: { spans: TraceDetail['spans'] }) {
  const [chosen, setChosen] = useState<Span>()
  const { rows, totalMs } = arrangeSpans(spans)
  if (rows.length === 0) return <Empty title={t('runs.noSpans')} />
  return (
    <section class="panel-box" aria-label={t('runs.spans')}>
      <h2>{t('runs.spans')}</h2>
      <ol class="waterfall">
        {rows.map(({ span, depth, startMs }) => (
          <li key={span.span_id}>
            <button
              type="button"
              class="quiet"
              aria-pressed={chosen?.span_id === span.span_id}
              onClick={() => setChosen(chosen?.span_id === span.span_id ? undefined : span)}
            >
              <span class={`span-name depth-${Math.min(depth, 4)}`}>{span.name}</span>
              <svg
                class="span-bar"
                viewBox={`0 0 ${chartWidth} 10`}
                preserveAspectRatio="none"
                aria-hidden="true"
              >
                <rect
                  class={`span-${span.kind} span-${span.status}`}
                  x={(startMs / totalMs) * chartWidth}
                  width={Math.max(2, (span.duration_ms / totalMs) * chartWidth)}
                  y="0"
                  height="10"
                />
              </svg>
              <span class="number">
                {t('runs.ms', { ms: formatNumber(Math.round(span.duration_ms)) })}
              </span>
            </button>
          </li>
        ))}
      </ol>
      {chosen && (
        <div class="event" aria-live="polite">
          <h3>{`${translate('spanKind', chosen.kind)} · ${chosen.name}`}</h3>
          {chosen.error && <p class="field-error">{chosen.error}</p>}
          <pre>{JSON.stringify(chosen.attributes, null, 2)}</pre>
        </div>
      )}
    </section>
  )
}
