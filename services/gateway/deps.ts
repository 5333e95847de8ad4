import * as z from 'zod'
import { ConfigError, KitConfig } from '../_kit/config.ts'
import type { OpenContext } from '../_kit/context.ts'
import { endpoints } from '../_kit/endpoint.ts'
import type { Peer } from '../_kit/peer.ts'
import { type IdentityCache, makeIdentityCache } from './identity-cache.ts'

export const Config = z.object({
  PUBLIC_URL: z.url().optional().describe('Address at which people reach the gateway.'),
  HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Listen address; local sign-in needs a loopback address.'),
  ENVIRONMENT: KitConfig.shape.ENVIRONMENT,
  GATEWAY_LOCAL_SIGN_IN: z
    .stringbool()
    .optional()
    .describe('Sign in as a sample person, on loopback only. Default: true outside production.'),
  SESSION_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .max(720)
    .default(12)
    .describe('Lifetime of a session.'),
  METRICS_TOKEN: z.string().optional().describe('Bearer token of /metrics. Default: none, 404.'),
})
export type Config = z.output<typeof Config>

export interface Deps {
  peer(service: string): Peer
  identities: IdentityCache
  localSignIn: boolean
  production: boolean
  /** Whether browsers reach the gateway over https. */
  secure: boolean
  sessionHours: number
  metricsToken: string | undefined
}

const isLoopback = (host: string) => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host)

export function open(config: Config, { peer }: OpenContext): Deps {
  const production = config.ENVIRONMENT === 'production'
  if (production && config.GATEWAY_LOCAL_SIGN_IN) {
    throw new ConfigError('GATEWAY_LOCAL_SIGN_IN: not allowed in production.')
  }
  return {
    peer,
    identities: makeIdentityCache(),
    localSignIn: !production && isLoopback(config.HOST) && config.GATEWAY_LOCAL_SIGN_IN !== false,
    production,
    secure: config.PUBLIC_URL?.startsWith('https:') ?? false,
    sessionHours: config.SESSION_HOURS,
    metricsToken: config.METRICS_TOKEN,
  }
}

export const { get, post, del } = endpoints<Deps>()
