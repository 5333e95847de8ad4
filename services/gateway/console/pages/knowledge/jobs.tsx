import { useEffect } from 'preact/hooks'
import { type Page, request } from '../../api/client.ts'
import type { KnowledgeJob } from '../../api/types.ts'
import { useLoad } from '../../api/use-load.ts'
import { formatTime, t, translate } from '../../text/text.ts'
import { Badge, Loaded, type Tone } from '../../ui/state.tsx'
import { knowledgePath } from './knowledge.tsx'

export const jobTones: Record<KnowledgeJob['status'], Tone> = {
  PENDING: 'neutral',
  RUNNING: 'info',
  SUCCEEDED: 'good',
  FAILED: 'bad',
}
/** Interval of requests while a job is under way. */
const pollMs = 2_000

interface JobsProps {
  /** Shows the jobs of one base only. */
  baseId?: string
  /** Called when a job has ended. */
  onEnd?: () => void
}

/** The newest jobs with their progress. */
export function Jobs({ baseId, onEnd }: JobsProps) {
  const load = useLoad('jobs', (signal) =>
    request<Page<KnowledgeJob>>(`${knowledgePath}/jobs?size=20`, { signal }),
  )
  const jobs = load.data?.items.filter(({ kb_id }) => baseId === undefined || kb_id === baseId)
  const running = jobs?.filter(({ status }) => status === 'PENDING' || status === 'RUNNING').length
  useEffect(() => {
    if (!running) return
    const timer = setInterval(load.reload, pollMs)
    return () => {
      clearInterval(timer)
      onEnd?.()
    }
  }, [running])
  return (
    <section class="panel-box" aria-labelledby="jobs">
      <h2 id="jobs">{t('jobs.title')}</h2>
      <Loaded load={load}>
        {() => (
          <>
            {jobs!.length === 0 && <p class="faint">{t('jobs.empty')}</p>}
            <ul class="rows">
              {jobs!.map((job) => (
                <JobView key={job.id} job={job} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </section>
  )
}

const JobView = ({ job: { kind, status, progress, error, created_at } }: { job: KnowledgeJob }) => (
  <li class="todo">
    <span>
      <strong>{translate('jobKind', kind)}</strong>
      <span class="faint">{formatTime(created_at)}</span>
      {error && <span class="field-error">{error}</span>}
    </span>
    <span class="row-details">
      {status === 'RUNNING' && (
        <progress
          aria-label={t('jobs.progress')}
          value={progress.total === null ? undefined : progress.done}
          max={progress.total ?? 1}
        />
      )}
      <Badge tone={jobTones[status]} text={translate('jobStatus', status)} />
    </span>
  </li>
)
