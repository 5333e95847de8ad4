import { defineService } from '../_kit/service.ts'
import { administration } from './administration.ts'
import { auth } from './auth.ts'
import { Config } from './config.ts'
import { type Deps, open } from './deps.ts'
import { describeSuite } from './describe-suite.ts'
import { enter } from './entry.ts'
import { mcp } from './mcp/endpoint.ts'
import { backchannelLogout } from './oidc/backchannel-logout.ts'
import { signIn } from './oidc/sign-in.ts'
import { pages } from './pages.ts'
import { protectedResource } from './protected-resource.ts'
import { proxy } from './proxy.ts'
import { deleteOldCounts } from './rate-counts.ts'
import { scimDiscovery } from './scim/discovery.ts'
import { scimGroups } from './scim/groups.ts'
import { scimUsers } from './scim/users.ts'
import { deleteExpired } from './session-store.ts'
import { sessions } from './sessions.ts'
import { tokens } from './tokens.ts'

export default defineService<typeof Config, Deps>({
  name: 'gateway',
  folder: 'gateway',
  schema: 'gateway',
  config: Config,
  open,
  internalPaths: false,
  wrap: enter,
  mergeDescriptions: describeSuite,
  endpoints: [
    ...pages,
    ...auth,
    ...signIn,
    ...backchannelLogout,
    ...sessions,
    ...tokens,
    ...administration,
    ...protectedResource,
    ...mcp,
    ...scimUsers,
    ...scimGroups,
    ...scimDiscovery,
  ],
  fallback: proxy,
  tick: (context) => context.followErasures(context),
  async sweep({ sql }) {
    await deleteExpired(sql)
    await deleteOldCounts(sql)
  },
})
