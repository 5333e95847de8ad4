import * as z from 'zod'

export type EnvironmentVariables = Record<string, string | undefined>

/** Environment variables that every service reads. */
export const KitConfig = z.object({
  ENVIRONMENT: z
    .enum(['production', 'staging', 'dev', 'local', 'test'])
    .default('dev')
    .describe('Deployment environment. Default: derived from NODE_ENV, else dev.'),
  AI_BOOT_OPENAPI_ENABLED: z
    .stringbool()
    .optional()
    .describe('Publish the API description. Default: true outside production.'),
  AI_BOOT_OPENAPI_INCLUDE_PATH_PREFIXES: z
    .string()
    .default('/api/')
    .describe('Comma-separated path prefixes included in the API description.'),
  AI_BOOT_OPENAPI_EXCLUDE_PATH_PREFIXES: z
    .string()
    .default('/api/v1/internal/')
    .describe('Comma-separated path prefixes excluded from the API description. Empty: none.'),
  INTERNAL_API_KEY: z
    .string()
    .default('')
    .describe('Internal key sent to and accepted from other services. `npm start` generates one.'),
  INTERNAL_API_KEY_ACCEPTED: z
    .string()
    .default('')
    .describe('Comma-separated additional keys accepted during a key rotation.'),
  METRICS_TOKEN: z
    .string()
    .optional()
    .describe('Bearer token for `actuator/prometheus`, accepted beside the internal key.'),
})
export type KitConfig = z.infer<typeof KitConfig>

/** Thrown at start-up for an invalid environment; the message lists every problem. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

const modes: Record<string, string> = { production: 'production', development: 'dev', test: 'test' }

/** Variables for which an empty value is meaningful. Elsewhere empty means unset. */
const emptyIsValid = new Set(['AI_BOOT_OPENAPI_EXCLUDE_PATH_PREFIXES'])

export function parseConfig<Schema extends z.ZodType>(
  schema: Schema,
  env: EnvironmentVariables,
): z.output<Schema> {
  const variables: EnvironmentVariables = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value !== '' || emptyIsValid.has(name)),
  )
  variables.ENVIRONMENT ??= modes[env.NODE_ENV ?? '']
  const parsed = schema.safeParse(variables)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
  throw new ConfigError(`Invalid configuration:\n${problems.join('\n')}`)
}
