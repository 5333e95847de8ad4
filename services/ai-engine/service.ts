import { enqueue } from '../_kit/jobs.ts'
import { defineService } from '../_kit/service.ts'
import { agent } from './agent.ts'
import { calculators } from './calculators.ts'
import { cards } from './cards.ts'
import { Config, type Deps, open } from './deps.ts'
import { erasure } from './erasure.ts'
import { notices } from './notices.ts'
import { outbox } from './outbox.ts'
import { runCardTimers, takeOverExpiredRuns } from './run/runner.ts'
import { skills } from './skills.ts'
import { deleteExpiredReservations } from './store/budget.ts'
import { repairThreads } from './store/lease.ts'
import { checkRefused, enqueueStalled, runDeliveryJob } from './store/outbox.ts'
import { pruneCheckpoints } from './store/prune-checkpoints.ts'
import { pruneRuns } from './store/retention.ts'
import { threads } from './threads.ts'
import { timeline } from './timeline.ts'
import { traces } from './traces.ts'
import { usage } from './usage.ts'

export default defineService<typeof Config, Deps>({
  name: 'ai-engine',
  folder: 'ai-engine',
  schema: 'ai_engine',
  config: Config,
  open,
  beforeServe: ({ skills }) => skills(),
  healthChecks: ({ model, sql, kit }) => ({
    ...(model && { model: model.check }),
    outbox: () => checkRefused(sql, kit.metrics),
  }),
  endpoints: [
    ...calculators,
    ...skills,
    ...agent,
    ...threads,
    ...timeline,
    ...traces,
    ...usage,
    ...erasure,
    ...outbox,
    ...cards,
    ...notices,
  ],
  jobs: {
    deliver: ({ sql, matter, files, kit }, { thread_id }: { thread_id: string }) =>
      runDeliveryJob({ sql, matter, files, log: kit.log, metrics: kit.metrics }, thread_id),
    retention: ({ sql, retention }, _payload: object, { signal }) =>
      pruneRuns(sql, retention, signal),
  },
  tick: async (context) => (await takeOverExpiredRuns(context)) + (await runCardTimers(context)),
  async sweep({ sql, checkpointKeep }) {
    await enqueueStalled(sql)
    await repairThreads(sql)
    await deleteExpiredReservations(sql)
    await pruneCheckpoints(sql, checkpointKeep)
    await enqueue(sql, 'ai_engine', { kind: 'retention', payload: {}, key: 'retention' })
  },
})
