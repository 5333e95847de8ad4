import type { MatterPhaseProgress } from '../../api/types.ts'
import { formatDate, t, translate } from '../../text/text.ts'
import { Icon } from '../../ui/icon.tsx'

/** Phases of a matter in their order. */
export const Phases = ({ phases }: { phases: MatterPhaseProgress[] }) => (
  <section class="panel-box" aria-labelledby="phases">
    <h2 id="phases">{t('matter.phases')}</h2>
    {phases.length === 0 ? (
      <p class="faint">{t('matter.phases.empty')}</p>
    ) : (
      <ol class="phases">
        {phases.map(({ phase_id, phase_name, status, started_at, completed_at }) => (
          <li key={phase_id} class={`phase ${status}`}>
            <span class="phase-mark">{status === 'COMPLETED' && <Icon name="check" />}</span>
            <span>
              <strong>{phase_name}</strong>
              <span class="faint">
                {translate('phaseStatus', status)}
                {(completed_at ?? started_at) && ` · ${formatDate((completed_at ?? started_at)!)}`}
              </span>
            </span>
          </li>
        ))}
      </ol>
    )}
  </section>
)
