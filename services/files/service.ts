import { defineService } from '../_kit/service.ts'
import { complete } from './complete.ts'
import { Config, open } from './deps.ts'
import { download } from './download.ts'
import { erasure } from './erasure.ts'
import { files } from './files.ts'
import { sweepObjects } from './orphans.ts'
import { failDeadParses, parseFile } from './parse-job.ts'
import { parsing } from './parsing.ts'
import { text } from './text.ts'
import { upload } from './upload.ts'
import { uploadUrl } from './upload-url.ts'

export default defineService({
  name: 'files-service',
  folder: 'files',
  schema: 'files',
  config: Config,
  open,
  endpoints: [
    ...upload,
    ...uploadUrl,
    ...complete,
    ...files,
    ...download,
    ...parsing,
    ...text,
    ...erasure,
  ],
  healthChecks: ({ store, parser }) => ({
    storage: async () => (await store()).check(),
    ...(parser && { parser: parser.check }),
  }),
  jobs: ({ parser }) => (parser ? { parse: parseFile } : {}),
  async sweep(context) {
    await sweepObjects(context)
    await failDeadParses(context.sql)
  },
})
