import * as z from 'zod'

export type EnvironmentVariables = Record<string, string | undefined>

/** What every service understands, whatever else it is told. */
export const KitConfig = z.object({
  ENVIRONMENT: z
    .enum(['production', 'staging', 'dev', 'local', 'test'])
    .default('dev')
    .describe('Where this runs. NODE_ENV is read when it is unset.'),
  AI_BOOT_OPENAPI_ENABLED: z
    .stringbool()
    .optional()
    .describe('Publish the API description; by default everywhere but in production.'),
  AI_BOOT_OPENAPI_INCLUDE_PATH_PREFIXES: z
    .string()
    .default('/api/')
    .describe('Comma-separated path prefixes that the description shows.'),
  AI_BOOT_OPENAPI_EXCLUDE_PATH_PREFIXES: z
    .string()
    .default('/api/v1/internal/')
    .describe('Comma-separated path prefixes that it hides; empty hides nothing.'),
  INTERNAL_API_KEY: z
    .string()
    .default('')
    .describe('The key sent to and accepted from the other services; `npm start` makes one.'),
  INTERNAL_API_KEY_ACCEPTED: z
    .string()
    .default('')
    .describe('Comma-separated further keys that are accepted while a rotation is under way.'),
})
export type KitConfig = z.infer<typeof KitConfig>

/** One error for everything that is wrong with the environment. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

const modes: Record<string, string> = { production: 'production', development: 'dev', test: 'test' }

/** An empty variable is an unset one, except where empty is itself a meaning. */
const emptyIsValid = new Set(['AI_BOOT_OPENAPI_EXCLUDE_PATH_PREFIXES'])

export function parseConfig<Schema extends z.ZodType>(
  schema: Schema,
  env: EnvironmentVariables,
): z.output<Schema> {
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value !== '' || emptyIsValid.has(name)),
  )
  given.ENVIRONMENT ??= modes[env.NODE_ENV ?? '']
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
  throw new ConfigError(`The configuration is not usable:\n${faults.join('\n')}`)
}
