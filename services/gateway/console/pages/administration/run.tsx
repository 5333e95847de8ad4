import { request } from '../../api/client.ts'
import type { TraceDetail } from '../../api/types.ts'
import { useLoad } from '../../api/use-load.ts'
import type { PageProps } from '../../page-props.ts'
import { formatNumber, formatTime, t, translate } from '../../text/text.ts'
import { Badge, Loaded } from '../../ui/state.tsx'
import { AdministrationLayout } from './administration.tsx'
import { Replay } from './replay.tsx'
import { enginePath, traceTones } from './runs.tsx'
import { Waterfall } from './waterfall.tsx'

/** One run of the engine: its spans, and replays from its checkpoints. */
export default function RunPage({ params: { id } }: PageProps) {
  const load = useLoad(`trace ${id}`, (signal) =>
    request<TraceDetail>(`${enginePath}/traces/${id}`, { signal }),
  )
  return (
    <AdministrationLayout page="runs" heading={t('runs.run')}>
      <Loaded load={load}>
        {(trace) => (
          <>
            <p class="row-details">
              <Badge tone={traceTones[trace.status]} text={translate('runStatus', trace.status)} />
              <span class="faint">
                {`${translate('runKind', trace.kind)} · ${formatTime(trace.started_at)}`}
              </span>
              <span class="faint">
                {t('runs.usage', {
                  calls: formatNumber(trace.usage.calls),
                  tokens: formatNumber(trace.usage.input_tokens + trace.usage.output_tokens),
                })}
              </span>
              {trace.matter_id && <a href={`/matters/${trace.matter_id}`}>{t('runs.matter')}</a>}
            </p>
            {trace.error && (
              <p class="notice bad">{`${trace.error.code}: ${trace.error.message}`}</p>
            )}
            <Waterfall spans={trace.spans} />
            <Replay trace={trace} />
          </>
        )}
      </Loaded>
    </AdministrationLayout>
  )
}
