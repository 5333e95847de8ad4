import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import type { Client } from '../_kit/peer.ts'
import { type Deps, get, manage } from './deps.ts'

const Status = z.enum(['UP', 'DOWN', 'DEGRADED'])
const ServiceHealth = z.object({
  service: z.string(),
  status: Status,
  components: z.record(z.string(), z.object({ status: Status })),
})

const healthPath = '/api/v1/internal/actuator/health'

const peers = {
  'memory-service': ({ memory }: Deps) => memory,
  'ai-engine': ({ engine }: Deps) => engine,
  'consultations-service': ({ consultations }: Deps) => consultations,
  'matter-service': ({ matter }: Deps) => matter,
  'knowledge-service': ({ knowledge }: Deps) => knowledge,
  'collector-service': ({ collector }: Deps) => collector,
  'files-service': ({ files }: Deps) => files,
}

/** Health of all services, for administrators: the health paths themselves are internal. */
export const health = [
  get(
    '/api/v1/health',
    {
      summary: 'Get the health of all services',
      guard: manage,
      responses: { 200: z.object({ status: Status, services: z.array(ServiceHealth) }) },
    },
    async (c) => {
      const own = await c.env.sql`select 1`.then(
        () => 'UP' as const,
        () => 'DOWN' as const,
      )
      const services = await Promise.all([
        { service: 'platform-service', status: own, components: { db: { status: own } } },
        ...Object.entries(peers).map(([service, client]) => loadHealth(service, client(c.env))),
      ])
      const isUp = services.every(({ status }) => status === 'UP')
      const isDown = services.every(({ status }) => status === 'DOWN')
      return ok(c, { status: isUp ? 'UP' : isDown ? 'DOWN' : 'DEGRADED', services })
    },
  ),
]

/** A service that does not respond, or whose database is down, is DOWN. */
async function loadHealth(service: string, client: Client): Promise<z.infer<typeof ServiceHealth>> {
  try {
    const response = await client.stream(healthPath, { deadlineMs: 5_000 })
    return ServiceHealth.parse({ service, ...((await response.json()) as object) })
  } catch {
    return { service, status: 'DOWN', components: {} }
  }
}
