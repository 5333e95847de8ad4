import * as z from 'zod'
import { KitConfig } from '../_kit/config.ts'
import { OidcConfig } from './oidc/config.ts'

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
    .describe(
      'Sign in as a sample person, on loopback only. Default: true outside production without OIDC_ISSUER.',
    ),
  GATEWAY_ENCRYPTION_KEY: z
    .string()
    .optional()
    .describe(
      'Secret that encrypts tokens of the provider, at least 32 characters. During a rotation: the new one, a comma, the old one. Default: none, tokens are not stored and sessions are not refreshed.',
    ),
  SESSION_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .max(720)
    .default(12)
    .describe('Lifetime of a session.'),
  METRICS_TOKEN: z.string().optional().describe('Bearer token of /metrics. Default: none, 404.'),
  ...OidcConfig.shape,
})
export type Config = z.output<typeof Config>
