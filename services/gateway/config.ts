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
  GATEWAY_RATE_USER: z.coerce
    .number()
    .int()
    .min(1)
    .default(1_200)
    .describe('Requests per minute of a person.'),
  GATEWAY_RATE_TOKEN: z.coerce
    .number()
    .int()
    .min(1)
    .default(600)
    .describe('Requests per minute of an API token or bearer token.'),
  GATEWAY_RATE_ADDRESS: z.coerce
    .number()
    .int()
    .min(1)
    .default(300)
    .describe('Requests per minute of an address without sign-in.'),
  GATEWAY_TRUSTED_PROXIES: z.coerce
    .number()
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe(
      'Number of proxies in front of the gateway that append to X-Forwarded-For. Default: 0, the header is ignored.',
    ),
  GATEWAY_CORS_ORIGINS: z
    .string()
    .default('')
    .describe('Comma-separated origins whose pages may call the gateway. Default: none.'),
  GATEWAY_MAX_BODY_MB: z.coerce
    .number()
    .int()
    .min(1)
    .default(128)
    .describe('Maximum size of a request body in MiB. The services have lower limits.'),
  GATEWAY_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .default(120_000)
    .describe('Time limit of a request until the headers of the response, in milliseconds.'),
  SCIM_TOKEN: z
    .string()
    .min(32)
    .optional()
    .describe('Bearer token of /scim/v2. Default: none, 404.'),
  SCIM_ORGANIZATION: z
    .string()
    .optional()
    .describe('Organization of the users that SCIM provisions. Default: OIDC_ORGANIZATION.'),
  METRICS_TOKEN: z.string().optional().describe('Bearer token of /metrics. Default: none, 404.'),
  ...OidcConfig.shape,
})
export type Config = z.output<typeof Config>
