import * as z from 'zod'
import { endpoints } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import type { Client } from '../_kit/peer.ts'
import type { OpenContext } from '../_kit/service.ts'
import { type Fetcher, makeFetcher } from './fetch/fetcher.ts'
import { makeRobots, type Robots } from './fetch/robots.ts'
import type { Library } from './packages/library.ts'

const milliseconds = (maxMs: number, defaultMs: number) =>
  z.coerce.number().int().min(1).max(maxMs).default(defaultMs)

const splitList = (text: string) =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)

export const Config = z.object({
  SEED_PACKAGES_DIR: z
    .string()
    .optional()
    .describe(
      'Where seed packages lie; by default `resources/seed_packages` if it is there, else `seed_packages`.',
    ),
  SEED_PACKAGE_IDS_ON_STARTUP: z
    .string()
    .default('')
    .describe('Comma-separated seed packages that are applied at startup.'),
  SEED_RESOURCES_ON_STARTUP: z
    .stringbool()
    .default(false)
    .describe('Apply the packages that come along at startup; `npm start` does.'),
  SEED_STARTUP_WAIT_MS: milliseconds(3_600_000, 120_000).describe(
    'How long startup waits for the services that are to be seeded.',
  ),
  SEED_TARGET_TIMEOUT_MS: milliseconds(3_600_000, 300_000).describe(
    'How long a service may take over one item of a seed package.',
  ),
  COLLECTOR_ALLOWED_HOSTS: z
    .string()
    .default('')
    .describe(
      'Comma-separated hosts (`host` or `host:port`) that may be fetched although they are not on the public Internet.',
    ),
  COLLECTOR_HOST_DELAY_MS: milliseconds(600_000, 1_000).describe(
    'Between two requests to one host.',
  ),
  COLLECTOR_FETCH_TIMEOUT_MS: milliseconds(600_000, 30_000).describe(
    'How long fetching one page may take.',
  ),
  COLLECTOR_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .max(100 * 1024 * 1024)
    .default(10 * 1024 * 1024)
    .describe('The largest page that is fetched.'),
  COLLECTOR_MAX_PAGES: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(1_000)
    .describe('How many pages one run fetches at most.'),
  COLLECTOR_USER_AGENT: z
    .string()
    .regex(/^[!-~][ -~]{0,200}$/)
    .default('legal-suite-collector/1.0')
    .describe('What it calls itself; robots.txt is read for what stands before the `/`.'),
  AUTH_SERVICE_URL: z
    .url()
    .optional()
    .describe('An auth service that knows who may do what; without it X-Permissions says so.'),
})
export type Config = z.output<typeof Config>

export interface Deps {
  platform: Client
  knowledge: Client
  /** Undefined where X-Permissions is believed. */
  auth: Client | undefined
  /** Undefined on a runtime without directories. */
  library: (() => Promise<Library>) | undefined
  allowedHosts: readonly string[]
  /** Undefined on a runtime that can't choose the address it connects to. */
  collection: Collection | undefined
  startup: { packageIds: string[]; resources: boolean; waitMs: number }
  targetTimeoutMs: number
  /** How long a request waits for a run that another request began. */
  joinTimeoutMs: number
}

interface Collection {
  tools(): Promise<{ fetcher: Fetcher; robots: Robots }>
  maxPages: number
  maxBytes: number
}

/** What ends in `.node.ts` needs a process, and is loaded where there is one. */
export function open(config: Config, { client, runtime }: OpenContext): Deps {
  let library: Promise<Library> | undefined
  return {
    platform: client('platform-service'),
    knowledge: client('knowledge-service'),
    auth: config.AUTH_SERVICE_URL ? client('auth-service') : undefined,
    library:
      runtime === 'workerd'
        ? undefined
        : () => {
            library ??= import('./packages/library.node.ts').then(({ directoryLibrary }) =>
              directoryLibrary(config.SEED_PACKAGES_DIR),
            )
            return library
          },
    allowedHosts: splitList(config.COLLECTOR_ALLOWED_HOSTS),
    collection: runtime === 'workerd' ? undefined : makeCollection(config),
    startup: {
      packageIds: splitList(config.SEED_PACKAGE_IDS_ON_STARTUP),
      resources: config.SEED_RESOURCES_ON_STARTUP,
      waitMs: config.SEED_STARTUP_WAIT_MS,
    },
    targetTimeoutMs: config.SEED_TARGET_TIMEOUT_MS,
    joinTimeoutMs: 110_000,
  }
}

function makeCollection(config: Config): Collection {
  let tools: ReturnType<Collection['tools']> | undefined
  const makeTools = async () => {
    const { nodeTransport } = await import('./fetch/transport.node.ts')
    const userAgent = config.COLLECTOR_USER_AGENT
    const fetcher = makeFetcher(nodeTransport, {
      allowedHosts: splitList(config.COLLECTOR_ALLOWED_HOSTS),
      maxBytes: config.COLLECTOR_MAX_BYTES,
      timeoutMs: config.COLLECTOR_FETCH_TIMEOUT_MS,
      delayMs: config.COLLECTOR_HOST_DELAY_MS,
      userAgent,
    })
    return { fetcher, robots: makeRobots(fetcher, userAgent) }
  }
  return {
    tools() {
      tools ??= makeTools()
      return tools
    },
    maxPages: config.COLLECTOR_MAX_PAGES,
    maxBytes: config.COLLECTOR_MAX_BYTES,
  }
}

/** Seed packages are files, which not every runtime has. */
export async function requireLibrary({ library }: Deps): Promise<Library> {
  if (library) return library()
  throw new Fault(
    'UPSTREAM_UNAVAILABLE',
    'Seed packages lie in a directory, and this runtime has none: ask a collector-service on Node or Deno.',
  )
}

export const { get, post, put, del } = endpoints<Deps>()
