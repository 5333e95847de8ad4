import * as z from 'zod'

/** Environment variables of the process that hosts services. Services do not see them. */
export const HostConfig = z.object({
  PORT: z.coerce
    .number()
    .int()
    .min(1)
    .max(65_000)
    .default(8080)
    .describe('Port to listen on. With `npm start` the services use the eight ports after it.'),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on; 0.0.0.0 in a container.'),
  DATABASE_URL: z
    .string()
    .optional()
    .describe('PostgreSQL connection URL. Default with `npm start`: the embedded database.'),
  DATABASE_DRIVER: z
    .enum(['postgres', 'neon'])
    .default('postgres')
    .describe(
      'Database driver. `neon` connects over a WebSocket, for runtimes without TCP sockets.',
    ),
  DATABASE_POOL: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(10)
    .describe('Maximum number of database connections per process.'),
  NEON_WS_PROXY: z
    .string()
    .optional()
    .describe('Host and path of a WebSocket relay to PostgreSQL. Default: the relay of Neon.'),
  DATA_DIR: z.string().default('.data').describe('Data directory of `npm start`.'),
  INTERNAL_API_KEY_DIR: z
    .string()
    .optional()
    .describe('Directory with the key files `current` and `accepted`, re-read when they change.'),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Minimum level of log lines on standard output.'),
  LOG_FORMAT: z
    .enum(['json', 'text'])
    .optional()
    .describe('Format of log lines. Default: `text` in a terminal, `json` otherwise.'),
  SHUTDOWN_GRACE_MS: z.coerce
    .number()
    .int()
    .min(0)
    .default(25_000)
    .describe(
      'Milliseconds from SIGTERM to the end of the process. Requests and jobs get all but the last second.',
    ),
  MIGRATE: z
    .stringbool()
    .default(true)
    .describe(
      'Apply migrations at start. Set to false where a Job applies them; the service then waits for it.',
    ),
  BACKGROUND: z
    .stringbool()
    .default(true)
    .describe(
      'Run background work in this process. Set to false where `actuator/tick` is called instead.',
    ),
})
export type HostConfig = z.infer<typeof HostConfig>
