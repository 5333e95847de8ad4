import * as z from 'zod'
import { ConfigError } from '../_kit/config.ts'
import type { OpenContext } from '../_kit/context.ts'
import { endpoints } from '../_kit/endpoint.ts'
import type { Parser } from './parse/parser.ts'
import { s3Store } from './store/s3.ts'
import type { Store } from './store/store.ts'

const MiB = 1024 * 1024

export const Config = z.object({
  FILES_STORAGE: z.enum(['fs', 's3']).default('fs').describe('Storage backend of file contents.'),
  FILES_DIR: z.string().default('.data/files').describe('Directory of storage `fs`.'),
  FILES_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .max(5 * 1024 * MiB)
    .default(100 * MiB)
    .describe('Maximum size of a file in bytes, at most 5 GiB.'),
  FILES_PUBLIC_URL: z
    .url()
    .optional()
    .describe(
      'Base of signed URLs, as clients reach this service. Default: S3 itself, or with storage `fs` the origin of the request.',
    ),
  FILES_PARSE_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1_000)
    .default(120_000)
    .describe('Time limit for parsing one file in milliseconds.'),
  FILES_PARSE_MEMORY_MB: z.coerce
    .number()
    .int()
    .min(128)
    .default(1_024)
    .describe('Memory limit for parsing one file in MB.'),
  FILES_PARSE_PROCESSES: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('Number of files parsed concurrently.'),
  S3_ENDPOINT: z.url().optional().describe('Storage `s3`: endpoint URL. Default: AWS.'),
  S3_REGION: z.string().default('us-east-1').describe('Storage `s3`: region.'),
  S3_BUCKET: z.string().optional().describe('Storage `s3`: name of an existing bucket.'),
  S3_ACCESS_KEY_ID: z.string().optional().describe('Storage `s3`: access key id.'),
  S3_SECRET_ACCESS_KEY: z.string().optional().describe('Storage `s3`: secret access key.'),
  S3_FORCE_PATH_STYLE: z
    .stringbool()
    .default(true)
    .describe('Storage `s3`: put the bucket into the path instead of the host name.'),
})
export type Config = z.output<typeof Config>

export interface Deps {
  store(): Promise<Store>
  /**
   * Undefined on a runtime without processes (workerd). Files stay PENDING there until a Node or Deno process
   * parses them.
   */
  parser: Parser | undefined
  runtime: OpenContext['runtime']
  maxBytes: number
  publicUrl: string | undefined
}

/** Loads `.node.ts` modules only on runtimes with processes and files. */
export function open(config: Config, { runtime }: OpenContext): Deps {
  return {
    store: makeStore(config, runtime),
    parser: runtime === 'workerd' ? undefined : makeParser(config),
    runtime,
    maxBytes: config.FILES_MAX_BYTES,
    publicUrl: config.FILES_PUBLIC_URL?.replace(/\/+$/, ''),
  }
}

function makeStore(config: Config, runtime: OpenContext['runtime']): Deps['store'] {
  if (config.FILES_STORAGE === 's3') {
    const s3 = requireS3Config(config)
    const store = loadStreamBody(runtime).then((streamBody) => s3Store(s3, streamBody))
    return () => store
  }
  if (runtime === 'workerd') {
    throw new ConfigError('FILES_STORAGE: this runtime has no file system. Use s3.')
  }
  let store: Promise<Store> | undefined
  return () => {
    store ??= import('./store/fs.node.ts').then(({ fsStore }) => fsStore(config.FILES_DIR))
    return store
  }
}

async function loadStreamBody(runtime: OpenContext['runtime']) {
  if (runtime === 'workerd') return undefined
  return (await import('./store/stream-body.node.ts')).streamBody
}

function requireS3Config(config: Config) {
  const { S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = config
  const required = { S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }
  const missing = Object.entries(required).flatMap(([name, value]) => (value ? [] : [name]))
  if (missing.length > 0)
    throw new ConfigError(`${missing.join(', ')}: required by FILES_STORAGE=s3.`)
  return {
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    bucket: S3_BUCKET!,
    accessKeyId: S3_ACCESS_KEY_ID!,
    secretAccessKey: S3_SECRET_ACCESS_KEY!,
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
  }
}

function makeParser(config: Config): Parser {
  let parser: Promise<Parser> | undefined
  const load = () => {
    parser ??= import('./parse/parser.node.ts').then(({ childParser }) =>
      childParser({
        timeoutMs: config.FILES_PARSE_TIMEOUT_MS,
        memoryMb: config.FILES_PARSE_MEMORY_MB,
        processes: config.FILES_PARSE_PROCESSES,
      }),
    )
    return parser
  }
  return Object.assign(async (...args: Parameters<Parser>) => (await load())(...args), {
    check: async () => (await load()).check(),
  })
}

export const { get, post, put, del } = endpoints<Deps>()
