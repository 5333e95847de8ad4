import * as z from 'zod'
import { all, type Executor, keyed, listOf, Paths } from './executor.ts'

export const causeOfActionProfiles: Executor = {
  kind: 'knowledge.seed.cause_of_action_profiles.import',
  service: 'knowledge',
  path: '/api/v1/internal/seed/cause-of-action-profiles/import',
  Config: z.object({ profiles_json: Paths }),
  files: { profiles_json: listOf('profiles', keyed('code')) },
  holds: () => ['the cause-of-action profiles'],
  requests: (_, data) => [{ profiles: all(data, 'profiles_json') }],
}
