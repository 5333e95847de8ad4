import { defineService } from '../_kit/service.ts'
import { context } from './context.ts'
import { Config, open } from './deps.ts'
import { erasure } from './erasure.ts'
import { extract } from './extract.ts'
import { facts } from './facts.ts'
import { recall } from './recall.ts'
import { reconcile } from './reconcile.ts'
import { refine } from './refine.ts'
import { users } from './users.ts'

export default defineService({
  name: 'memory-service',
  folder: 'memory',
  schema: 'memory',
  config: Config,
  open,
  endpoints: [
    ...facts,
    ...recall,
    ...extract,
    ...refine,
    ...reconcile,
    ...users,
    ...context,
    ...erasure,
  ],
  healthChecks: ({ rerank }) => (rerank ? { rerank: rerank.check } : {}),
})
