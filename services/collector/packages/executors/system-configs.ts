import * as z from 'zod'
import {
  type Executor,
  listSchema,
  Paths,
  recordsIn,
  recordWithKey,
  splitBatches,
} from './executor.ts'

/** Configuration of platform-service. Keys outside the package are unchanged. */
export const systemConfigs: Executor = {
  kind: 'platform.seed.system_configs.upsert',
  service: 'platform',
  path: '/api/v1/internal/platform/configs/batch',
  Config: z.object({ configs_json: Paths }),
  files: { configs_json: listSchema('configs', recordWithKey('key')) },
  requests: (_, data) =>
    splitBatches(recordsIn(data, 'configs_json'), 1_000, 900_000).map((configs) => ({ configs })),
}
