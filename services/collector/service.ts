import { deliverOutbox } from '../_kit/event-outbox.ts'
import { defineService } from '../_kit/service.ts'
import { documents } from './collect/documents.ts'
import { collect, failDeadRuns } from './collect/job.ts'
import { runs } from './collect/runs.ts'
import { startDueRuns } from './collect/schedule.ts'
import { sources } from './collect/sources.ts'
import { deleteMissing } from './collect/vanished.ts'
import { Config, open } from './deps.ts'
import { apply } from './packages/apply.ts'
import { takeOverExpiredRuns } from './packages/execute.ts'
import { packages } from './packages/packages.ts'
import { seedRuns } from './packages/runs.ts'
import { seedOnStartup } from './packages/startup.ts'

export default defineService({
  name: 'collector-service',
  folder: 'collector',
  schema: 'collector',
  config: Config,
  open,
  endpoints: [...packages, ...seedRuns, ...apply, ...sources, ...runs, ...documents],
  pathAliases: pathAliases,
  afterListen: seedOnStartup,
  tick: async (context) =>
    (await takeOverExpiredRuns(context)) +
    (await startDueRuns(context)) +
    (await deliverOutbox(context)),
  jobs: ({ collection }) => (collection ? { collect } : {}),
  async sweep(context) {
    await failDeadRuns(context.sql)
    await deleteMissing(context)
  },
})

/**
 * Aliases: internal paths are also served under /internal, and user paths under /internal/collector.
 */
function pathAliases(path: string): string[] {
  const own = path.slice('/api/v1'.length)
  if (own.startsWith('/internal/')) return [own]
  if (own.startsWith('/collector/')) return [`/internal${own}`, `/api/v1/internal${own}`]
  if (own.startsWith('/seed-packages/')) {
    return [`/internal/collector${own}`, `/api/v1/internal/collector${own}`]
  }
  return []
}
