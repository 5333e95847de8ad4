import { ConfigError } from '../_kit/config.ts'
import type { OpenContext } from '../_kit/context.ts'
import { endpoints } from '../_kit/endpoint.ts'
import type { Peer } from '../_kit/peer.ts'
import type { Config } from './config.ts'
import type { ConsoleFile } from './console/files.node.ts'
import { parseOrigins } from './cors.ts'
import { type Encryption, makeEncryption } from './encryption.ts'
import { type ErasureFollower, makeErasureFollower } from './follow-erasures.ts'
import { type IdentityCache, makeIdentityCache } from './identity-cache.ts'
import { parseOidc } from './oidc/config.ts'
import { makeProvider, type Provider } from './oidc/provider.ts'
import { makeOpenStreams, type OpenStreams } from './open-streams.ts'
import { makeRateCounts, type RateCounts, type RateLimits } from './rate-counts.ts'

export interface Deps {
  peer(service: string): Peer
  identities: IdentityCache
  openStreams: OpenStreams
  /** Erases people whom platform-service has erased elsewhere. */
  followErasures: ErasureFollower
  /** The OpenID Connect provider, if one is configured. */
  provider: Provider | undefined
  /** Encryption of tokens at rest; without it they are not stored. */
  encryption: Encryption | undefined
  localSignIn: boolean
  /** Built files of the web console by name; empty if it was not built. */
  consoleFiles(): Promise<ReadonlyMap<string, ConsoleFile>>
  /** Address of the gateway for browsers and clients, without a slash at the end. */
  publicUrl: string | undefined
  production: boolean
  /** Whether browsers reach the gateway over https. */
  secure: boolean
  sessionHours: number
  metricsToken: string | undefined
  /** Provisioning by a directory, if it is configured. */
  scim: { token: string; organization: string } | undefined
  rateLimits: RateLimits
  rateCounts: RateCounts
  /** Number of proxies in front of the gateway that append to X-Forwarded-For. */
  trustedProxies: number
  corsOrigins: readonly string[]
  maxBodyBytes: number
  /** Time until a service must respond with headers. */
  timeoutMs: number
}

const isLoopback = (host: string) => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host)

export function open(config: Config, { client, peer, runtime }: OpenContext): Deps {
  const production = config.ENVIRONMENT === 'production'
  if (production && config.GATEWAY_LOCAL_SIGN_IN) {
    throw new ConfigError('GATEWAY_LOCAL_SIGN_IN: not allowed in production.')
  }
  const oidc = parseOidc(config, production)
  const secrets = config.GATEWAY_ENCRYPTION_KEY
  return {
    peer,
    consoleFiles: makeConsoleFiles(),
    identities: makeIdentityCache(),
    openStreams: makeOpenStreams(),
    followErasures: makeErasureFollower(client('platform-service')),
    provider: oidc && makeProvider(oidc),
    encryption: secrets === undefined ? undefined : makeEncryption(secrets),
    localSignIn:
      !production && !oidc && isLoopback(config.HOST) && config.GATEWAY_LOCAL_SIGN_IN !== false,
    publicUrl: config.PUBLIC_URL?.replace(/\/+$/, ''),
    production,
    secure: config.PUBLIC_URL?.startsWith('https:') ?? false,
    sessionHours: config.SESSION_HOURS,
    metricsToken: config.METRICS_TOKEN,
    scim: parseScim(config),
    rateLimits: {
      user: config.GATEWAY_RATE_USER,
      token: config.GATEWAY_RATE_TOKEN,
      address: config.GATEWAY_RATE_ADDRESS,
    },
    rateCounts: makeRateCounts(runtime === 'workerd' ? 0 : 1_000),
    trustedProxies: config.GATEWAY_TRUSTED_PROXIES,
    corsOrigins: parseOrigins(config.GATEWAY_CORS_ORIGINS),
    maxBodyBytes: config.GATEWAY_MAX_BODY_MB * 1024 * 1024,
    timeoutMs: config.GATEWAY_TIMEOUT_MS,
  }
}

function parseScim({ SCIM_TOKEN: token, SCIM_ORGANIZATION, OIDC_ORGANIZATION }: Config) {
  if (token === undefined) return undefined
  const organization = SCIM_ORGANIZATION ?? OIDC_ORGANIZATION
  if (organization === undefined) {
    throw new ConfigError('SCIM_ORGANIZATION: required with SCIM_TOKEN.')
  }
  return { token, organization }
}

/** Reads the console at the first request for it. */
function makeConsoleFiles(): Deps['consoleFiles'] {
  let files: Promise<ReadonlyMap<string, ConsoleFile>> | undefined
  return () => (files ??= readConsoleFiles())
}

async function readConsoleFiles() {
  const { readConsole } = await import('./console/files.node.ts')
  return new Map((await readConsole()).map((file) => [file.name, file]))
}

export const { get, post, put, patch, del } = endpoints<Deps>()
