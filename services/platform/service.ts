import { defineService } from '../_kit/service.ts'
import { aiProxy } from './ai-proxy.ts'
import { audit } from './audit.ts'
import { categories } from './categories.ts'
import { configBatch } from './config-batch.ts'
import { configs } from './configs.ts'
import { Config, open } from './deps.ts'
import { domains } from './domains.ts'
import { flagBatch } from './flag-batch.ts'
import { flags } from './flags.ts'
import { tagBatch } from './tag-batch.ts'
import { tagGroups } from './tag-groups.ts'
import { tags } from './tags.ts'

export default defineService({
  name: 'platform-service',
  folder: 'platform',
  schema: 'platform',
  config: Config,
  open,
  endpoints: [
    ...configs,
    ...configBatch,
    ...flags,
    ...flagBatch,
    ...tags,
    ...tagBatch,
    ...tagGroups,
    ...categories,
    ...domains,
    ...audit,
    ...aiProxy,
  ],
})
