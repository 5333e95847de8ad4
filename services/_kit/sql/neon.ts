import { neonConfig, Pool, type PoolClient, types } from '@neondatabase/serverless'
import { type Driver, type MigrationDriver, timeFromText } from './sql.ts'

const parsers: Record<number, (text: string) => unknown> = {
  1184: timeFromText,
  1114: timeFromText,
  1082: (text) => text,
  20: Number,
}

/** Array parsers by element type; the parsers of the driver ignore configured element parsers. */
const arrays: Record<number, number> = { 1185: 1184, 1115: 1114, 1182: 1082, 1016: 20 }
const textArray = types.getTypeParser(1009) as (text: string) => (string | null)[]
for (const [array, element] of Object.entries(arrays)) {
  parsers[Number(array)] = (text) =>
    textArray(text).map((each) => (each === null ? null : parsers[element]!(each)))
}

const typed = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    parsers[oid] ?? types.getTypeParser(oid, format as 'text'),
}

/**
 * Connects to PostgreSQL over a WebSocket, for runtimes without TCP sockets. `proxy` is the host and
 * path of a WebSocket relay. Default: the relay of Neon.
 */
export function neonDriver(url: string, pool: number, proxy?: string): MigrationDriver {
  if (proxy !== undefined) {
    neonConfig.wsProxy = proxy
    neonConfig.useSecureWebSocket = false
    neonConfig.pipelineTLS = false
    neonConfig.pipelineConnect = false
  }
  const connections = new Pool({
    connectionString: url,
    max: pool,
    connectionTimeoutMillis: 10_000,
  })
  // A broken connection also rejects its query. An unhandled `error` event would crash the process.
  connections.on('error', () => {})
  connections.on('connect', (connection: PoolClient) => connection.on('error', () => {}))

  const queryOn =
    (connection: Pool | PoolClient): Driver['query'] =>
    async (text, params) =>
      (await connection.query({ text, values: params, types: typed }).catch(rethrow)).rows

  return {
    query: queryOn(connections),
    async transaction(work) {
      const connection = await connections.connect().catch(rethrow)
      let broken: Error | undefined
      try {
        await connection.query('begin').catch(rethrow)
        const result = await work(queryOn(connection))
        await connection.query('commit').catch(rethrow)
        return result
      } catch (thrown) {
        await connection.query('rollback').catch((error: Error) => {
          broken = error
        })
        throw thrown
      } finally {
        connection.release(broken)
      }
    },
    async session(work) {
      const connection = await connections.connect().catch(rethrow)
      try {
        return await work(queryOn(connection))
      } finally {
        connection.release()
      }
    },
    end: () => connections.end(),
  }
}

/** Adds the error code of the other drivers to a lost connection, which has none here. */
function rethrow(thrown: unknown): never {
  const { code, message = '' } = thrown as { code?: unknown; message?: string }
  if (code || (thrown instanceof Error && !/connect|clos|terminat/i.test(message))) throw thrown
  const lost = new Error(`The database is not reachable. ${message}`.trim(), { cause: thrown })
  throw Object.assign(lost, { code: 'CONNECTION_LOST' })
}
