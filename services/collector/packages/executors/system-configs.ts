import * as z from 'zod'
import { all, batches, type Executor, keyed, listOf, Paths } from './executor.ts'

/** Keys and values of platform-service's configuration; what the package does not name stays. */
export const systemConfigs: Executor = {
  kind: 'platform.seed.system_configs.upsert',
  service: 'platform',
  path: '/api/v1/internal/platform/configs/batch',
  Config: z.object({ configs_json: Paths }),
  files: { configs_json: listOf('configs', keyed('key')) },
  requests: (_, data) =>
    batches(all(data, 'configs_json'), 1_000, 900_000).map((configs) => ({ configs })),
}
