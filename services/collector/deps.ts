import * as z from 'zod'
import type { OpenContext } from '../_kit/context.ts'
import { endpoints } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import type { Client } from '../_kit/peer.ts'
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
      'Directory of seed packages. Default: `resources/seed_packages` if it exists, else `seed_packages`.',
    ),
  SEED_PACKAGE_IDS_ON_STARTUP: z
    .string()
    .default('')
    .describe('Comma-separated ids of seed packages applied at startup.'),
  SEED_RESOURCES_ON_STARTUP: z
    .stringbool()
    .default(false)
    .describe('Apply the bundled seed packages at startup, as `npm start` does.'),
  SEED_STARTUP_WAIT_MS: milliseconds(3_600_000, 120_000).describe(
    'Maximum wait at startup for the services that seed packages target, in milliseconds.',
  ),
  SEED_TARGET_TIMEOUT_MS: milliseconds(3_600_000, 300_000).describe(
    'Timeout of a target service for one item of a seed package, in milliseconds.',
  ),
  COLLECTOR_ALLOWED_HOSTS: z
    .string()
    .default('')
    .describe(
      'Comma-separated hosts (`host` or `host:port`) that may be fetched although their addresses are not public.',
    ),
  COLLECTOR_HOST_DELAY_MS: milliseconds(600_000, 1_000).describe(
    'Minimum delay between two requests to a host, in milliseconds.',
  ),
  COLLECTOR_FETCH_TIMEOUT_MS: milliseconds(600_000, 30_000).describe(
    'Timeout of fetching one page, in milliseconds.',
  ),
  COLLECTOR_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .max(100 * 1024 * 1024)
    .default(10 * 1024 * 1024)
    .describe('Maximum size of a page in bytes.'),
  COLLECTOR_MAX_PAGES: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(1_000)
    .describe('Maximum number of pages per run.'),
  COLLECTOR_MISSING_GRACE_DAYS: z.coerce
    .number()
    .int()
    .min(0)
    .max(3_650)
    .default(30)
    .describe('Days after which a page that vanished from its source is deleted.'),
  COLLECTOR_USER_AGENT: z
    .string()
    .regex(/^[!-~][ -~]{0,200}$/)
    .default('legal-suite-collector/1.0')
    .describe('User-Agent header. The part before the `/` is the product matched in robots.txt.'),
  AUTH_SERVICE_URL: z
    .url()
    .optional()
    .describe(
      'URL of an auth service that decides permissions. Default: the X-Permissions header is trusted.',
    ),
})
export type Config = z.output<typeof Config>

export interface Deps {
  platform: Client
  knowledge: Client
  /** Undefined if X-Permissions is trusted. */
  auth: Client | undefined
  /** Undefined on a runtime without a file system. */
  library: (() => Promise<Library>) | undefined
  allowedHosts: readonly string[]
  /** Undefined on a runtime that cannot choose the address it connects to. */
  collection: Collection | undefined
  startup: { packageIds: string[]; resources: boolean; waitMs: number }
  targetTimeoutMs: number
  /** Maximum wait of a request for a run that another request started. */
  joinTimeoutMs: number
  /** Time until a missing page is deleted. */
  missingGraceMs: number
}

interface Collection {
  tools(): Promise<{ fetcher: Fetcher; robots: Robots }>
  maxPages: number
  maxBytes: number
}

/** Loads `.node.ts` modules only on runtimes with processes and files. */
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
    missingGraceMs: config.COLLECTOR_MISSING_GRACE_DAYS * 86_400_000,
  }
}

function makeCollection(config: Config): Collection {
  let tools: ReturnType<Collection['tools']> | undefined
  const makeTools = async () => {
    const { nodeTransport } = await import('../_kit/outbound/transport.node.ts')
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

/** Returns the package library. Throws UPSTREAM_UNAVAILABLE on a runtime without a file system. */
export async function requireLibrary({ library }: Deps): Promise<Library> {
  if (library) return library()
  throw new Fault(
    'UPSTREAM_UNAVAILABLE',
    'Seed packages need a file system, and this runtime has none. Use a collector-service on Node or Deno.',
  )
}

export const { get, post, put, del } = endpoints<Deps>()
