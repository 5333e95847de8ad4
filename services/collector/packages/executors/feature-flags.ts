import * as z from 'zod'
import {
  type Executor,
  listSchema,
  Paths,
  recordsIn,
  recordWithKey,
  splitBatches,
} from './executor.ts'

export const featureFlags: Executor = {
  kind: 'platform.seed.feature_flags.upsert',
  service: 'platform',
  path: '/api/v1/internal/platform/feature-flags/batch',
  Config: z.object({ flags_json: Paths }),
  files: { flags_json: listSchema('flags', recordWithKey('key')) },
  requests: (_, data) =>
    splitBatches(recordsIn(data, 'flags_json'), 1_000, 900_000).map((flags) => ({
      flags,
    })),
}
