import { useState } from 'preact/hooks'
import { type Page, request, withQuery } from '../../api/client.ts'
import type { Checkpoint, Round, RunAnswer, TraceDetail } from '../../api/types.ts'
import { useAction } from '../../api/use-action.ts'
import { useLoad } from '../../api/use-load.ts'
import { formatTime, t, translate } from '../../text/text.ts'
import { LineDiff } from '../../ui/line-diff.tsx'
import { Badge, Empty, Loaded, Loading, Problem } from '../../ui/state.tsx'
import { enginePath, traceTones } from './runs.tsx'

interface ReplayData {
  original: Round | undefined
  checkpoints: Checkpoint[]
}

/** Replays the thread of a run from a checkpoint and shows the output beside the original. */
export function Replay({ trace }: { trace: TraceDetail }) {
  const { thread_id, run_id } = trace
  const load = useLoad(`replay ${run_id}`, async (signal): Promise<ReplayData> => {
    const query = { thread_id, size: 200 }
    const [rounds, checkpoints] = await Promise.all([
      request<Page<Round>>(withQuery(`${enginePath}/timeline`, query), { signal }),
      request<Page<Checkpoint>>(withQuery(`${enginePath}/checkpoints`, query), { signal }),
    ])
    const original = rounds.items.find((round) => round.run_id === run_id)
    return { original, checkpoints: checkpoints.items }
  })
  const [answer, setAnswer] = useState<RunAnswer>()
  const action = useAction()
  const replay = (checkpoint_id: string) =>
    action.run(async () => {
      setAnswer(undefined)
      const body = { thread_id, checkpoint_id, sync: false }
      setAnswer(await request<RunAnswer>(`${enginePath}/replay`, { method: 'POST', body }))
    })
  return (
    <section class="panel-box" aria-label={t('replay.title')}>
      <h2>{t('replay.title')}</h2>
      <p class="faint">{t('replay.hint')}</p>
      {action.isRunning && <Loading />}
      {action.error !== undefined && <Problem error={action.error} />}
      <Loaded load={load}>
        {({ original, checkpoints }) => (
          <>
            {answer && <Comparison original={original} answer={answer} />}
            {checkpoints.length === 0 && <Empty title={t('replay.empty')} />}
            <ul class="rows checkpoints">
              {checkpoints.map(({ checkpoint_id, step, node, created_at }) => (
                <li key={checkpoint_id} class="todo">
                  <span>
                    <strong>{t('replay.step', { step, node })}</strong>
                    <span class="faint">{formatTime(created_at)}</span>
                  </span>
                  <button
                    type="button"
                    disabled={action.isRunning}
                    aria-label={t('replay.from.step', { step })}
                    onClick={() => replay(checkpoint_id)}
                  >
                    {t('replay.from')}
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </section>
  )
}

interface ComparisonProps {
  original: Round | undefined
  answer: RunAnswer
}

/** What came out of the original and of the replay, line by line. */
function Comparison({ original, answer }: ComparisonProps) {
  return (
    <div class="comparison" role="status">
      <p class="row-details">
        <strong>{t('replay.original')}</strong>
        {original && (
          <Badge
            tone={traceTones[original.status]}
            text={translate('runStatus', original.status)}
          />
        )}
        <strong>{t('replay.branch')}</strong>
        <Badge tone={traceTones[answer.status]} text={translate('runStatus', answer.status)} />
        <a href={`/administration/runs/${answer.trace_id}`}>{t('replay.open')}</a>
      </p>
      <LineDiff
        left={{ title: t('replay.original'), text: formatOutput(original) }}
        right={{ title: t('replay.branch'), text: formatOutput(answer) }}
        texts={{ equal: t('replay.equal'), differs: t('replay.differs') }}
      />
    </div>
  )
}

/** The words of a run, and the questions of the card that it waits on. */
function formatOutput(run: Pick<RunAnswer, 'output' | 'card'> | undefined): string {
  if (!run) return ''
  const questions = run.card?.questions.map(({ question }) => question) ?? []
  return [run.output, run.card?.title ?? '', ...questions].filter((line) => line !== '').join('\n')
}
