import { request } from '../../api/client.ts'
import { useLoad } from '../../api/use-load.ts'
import { t, translate } from '../../text/text.ts'
import { Badge, Loaded, type Tone } from '../../ui/state.tsx'
import { AdministrationLayout } from './administration.tsx'

type Status = 'UP' | 'DOWN' | 'DEGRADED'
interface Health {
  status: Status
  services: { service: string; status: Status; components: Record<string, { status: Status }> }[]
}
const tones: Record<Status, Tone> = { UP: 'good', DEGRADED: 'warn', DOWN: 'bad' }

/** Health of every service and of its components. */
export default function HealthPage() {
  const load = useLoad('health', (signal) => request<Health>('/api/v1/health', { signal }))
  return (
    <AdministrationLayout
      page="health"
      actions={
        <button type="button" disabled={load.loading} onClick={load.reload}>
          {t('administration.reload')}
        </button>
      }
    >
      <Loaded load={load}>
        {({ services }) => (
          <ul class="tiles">
            {services.map(({ service, status, components }) => (
              <li key={service} class="tile">
                <strong>{translate('service', service)}</strong>
                <span>
                  <Badge tone={tones[status]} text={translate('health', status)} />
                </span>
                <ul class="rows">
                  {Object.entries(components).map(([name, component]) => (
                    <li key={name} class="faint">
                      {`${translate('component', name)}: ${translate('health', component.status)}`}
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </AdministrationLayout>
  )
}
