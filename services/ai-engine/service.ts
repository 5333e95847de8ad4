import { defineService } from '../_kit/service.ts'
import { agent } from './agent.ts'
import { Config, type Deps, open } from './deps.ts'
import { resumeLost } from './run/runner.ts'
import { skills } from './skills.ts'
import { deliverLater, sweepOutbox } from './store/outbox.ts'
import { thin } from './store/thin.ts'
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
  healthChecks: ({ model }) => (model ? { model: model.check } : {}),
  endpoints: [...skills, ...agent, ...threads, ...timeline, ...traces, ...usage],
  jobs: {
    deliver: ({ sql, matter }, { thread_id }: { thread_id: string }) =>
      deliverLater(sql, matter, thread_id),
  },
  tick: resumeLost,
  async sweep({ sql, keep }) {
    await sweepOutbox(sql)
    await thin(sql, keep)
  },
})
