import * as z from 'zod'
import { ConfigError } from '../_kit/config.ts'
import { endpoints } from '../_kit/endpoint.ts'
import type { OpenContext } from '../_kit/service.ts'
import type { Parser } from './parse/parser.ts'
import { s3Store } from './store/s3.ts'
import type { Store } from './store/store.ts'

const MiB = 1024 * 1024

export const Config = z.object({
  FILES_STORAGE: z.enum(['fs', 's3']).default('fs').describe('Where bytes are kept.'),
  FILES_DIR: z.string().default('.data/files').describe('The directory of storage `fs`.'),
  FILES_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .max(5 * 1024 * MiB)
    .default(100 * MiB)
    .describe('The largest file that is taken, at most 5 GiB.'),
  FILES_PUBLIC_URL: z
    .url()
    .optional()
    .describe(
      'The base of signed URLs, as clients reach this service. Unset, they lead to S3 itself, or with storage `fs` to where the request came to.',
    ),
  FILES_PARSE_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1_000)
    .default(120_000)
    .describe('How long parsing one file may take.'),
  FILES_PARSE_MEMORY_MB: z.coerce
    .number()
    .int()
    .min(128)
    .default(1_024)
    .describe('How much memory parsing one file may take.'),
  FILES_PARSE_PROCESSES: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('How many files are parsed at a time.'),
  S3_ENDPOINT: z.url().optional().describe('Storage `s3`: its address; unset it is AWS.'),
  S3_REGION: z.string().default('us-east-1').describe('Storage `s3`: its region.'),
  S3_BUCKET: z.string().optional().describe('Storage `s3`: a bucket that is there.'),
  S3_ACCESS_KEY_ID: z.string().optional().describe('Storage `s3`: who asks.'),
  S3_SECRET_ACCESS_KEY: z.string().optional().describe('Storage `s3`: the secret that proves it.'),
  S3_FORCE_PATH_STYLE: z
    .stringbool()
    .default(true)
    .describe('Storage `s3`: the bucket is in the path, not in the host name.'),
})
export type Config = z.output<typeof Config>

export interface Deps {
  store(): Promise<Store>
  /** What has no parser (the edge) leaves parsing to a process that has. */
  parser: Parser | undefined
  runtime: OpenContext['runtime']
  maxBytes: number
  publicUrl: string | undefined
}

/** What ends in `.node.ts` needs a process, and is loaded where there is one. */
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
    const store = s3Store(requireS3Config(config))
    return async () => store
  }
  if (runtime === 'workerd') {
    throw new ConfigError('FILES_STORAGE: there are no files on this runtime; use s3.')
  }
  let store: Promise<Store> | undefined
  return () => {
    store ??= import('./store/fs.node.ts').then(({ fsStore }) => fsStore(config.FILES_DIR))
    return store
  }
}

function requireS3Config(config: Config) {
  const { S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = config
  const required = { S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }
  const missing = Object.entries(required).flatMap(([name, value]) => (value ? [] : [name]))
  if (missing.length > 0)
    throw new ConfigError(`${missing.join(', ')}: needed by FILES_STORAGE=s3.`)
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
  return async (...args) => {
    parser ??= import('./parse/parser.node.ts').then(({ childParser }) =>
      childParser({
        timeoutMs: config.FILES_PARSE_TIMEOUT_MS,
        memoryMb: config.FILES_PARSE_MEMORY_MB,
        processes: config.FILES_PARSE_PROCESSES,
      }),
    )
    return (await parser)(...args)
  }
}

export const { get, post, put, del } = endpoints<Deps>()
