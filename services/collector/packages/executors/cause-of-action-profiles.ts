import * as z from 'zod'
import { type Executor, listSchema, Paths, recordsIn, recordWithKey } from './executor.ts'

export const causeOfActionProfiles: Executor = {
  kind: 'knowledge.seed.cause_of_action_profiles.import',
  service: 'knowledge',
  path: '/api/v1/internal/seed/cause-of-action-profiles/import',
  Config: z.object({ profiles_json: Paths }),
  files: { profiles_json: listSchema('profiles', recordWithKey('code')) },
  exclusiveScopes: () => ['the cause-of-action profiles'],
  requests: (_, data) => [{ profiles: recordsIn(data, 'profiles_json') }],
}
