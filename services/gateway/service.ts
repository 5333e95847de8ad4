import { defineService } from '../_kit/service.ts'
import { auth } from './auth.ts'
import { Config, type Deps, open } from './deps.ts'
import { pages } from './pages.ts'
import { proxy } from './proxy.ts'
import { deleteExpiredSessions, sessions } from './sessions.ts'
import { tokens } from './tokens.ts'

export default defineService<typeof Config, Deps>({
  name: 'gateway',
  folder: 'gateway',
  schema: 'gateway',
  config: Config,
  open,
  internalPaths: false,
  endpoints: [...pages, ...auth, ...sessions, ...tokens],
  fallback: proxy,
  sweep: ({ sql }) => deleteExpiredSessions(sql),
})
