import * as z from 'zod'

/** What the process that hosts a service is told; the service itself never sees it. */
export const HostConfig = z.object({
  PORT: z.coerce
    .number()
    .int()
    .min(1)
    .max(65_000)
    .default(8080)
    .describe('Where it listens; with `npm start` the services take the eight ports after it.'),
  HOST: z
    .string()
    .default('127.0.0.1')
    .describe('The address it listens on; 0.0.0.0 in a container.'),
  DATABASE_URL: z
    .string()
    .optional()
    .describe('A PostgreSQL server. `npm start` without it uses the embedded database.'),
  DATABASE_DRIVER: z
    .enum(['postgres', 'neon'])
    .default('postgres')
    .describe('`neon` speaks over a WebSocket, for runtimes without TCP sockets.'),
  DATABASE_POOL: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(10)
    .describe('Connections a process holds at most.'),
  NEON_WS_PROXY: z
    .string()
    .optional()
    .describe('Host and path of a WebSocket relay in front of PostgreSQL, instead of Neon.'),
  DATA_DIR: z.string().default('.data').describe('Where `npm start` keeps its data.'),
  INTERNAL_API_KEY_DIR: z
    .string()
    .optional()
    .describe('A directory with the files `current` and `accepted`, read again when they change.'),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('What is written to standard output.'),
  SHUTDOWN_GRACE_MS: z.coerce
    .number()
    .int()
    .min(0)
    .default(25_000)
    .describe('How long running requests and streams may take to finish after SIGTERM.'),
  MIGRATE: z
    .stringbool()
    .default(true)
    .describe('Bring the schema up to date at start; off where something else does it first.'),
  BACKGROUND: z
    .stringbool()
    .default(true)
    .describe('Do background work here; off where something else asks `actuator/tick` to.'),
})
export type HostConfig = z.infer<typeof HostConfig>
