import * as z from 'zod'
import { all, batches, type Executor, keyed, listOf, Paths } from './executor.ts'

export const featureFlags: Executor = {
  kind: 'platform.seed.feature_flags.upsert',
  service: 'platform',
  path: '/api/v1/internal/platform/feature-flags/batch',
  Config: z.object({ flags_json: Paths }),
  files: { flags_json: listOf('flags', keyed('key')) },
  requests: (_, data) =>
    batches(all(data, 'flags_json'), 1_000, 900_000).map((flags) => ({
      flags,
    })),
}
