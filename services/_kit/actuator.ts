import { keyId } from './keys.ts'
import { errorFields } from './log.ts'
import type { Checks, Mount, ServiceContext } from './service.ts'

const base = '/api/v1/internal/actuator'
const patienceMs = 2_000

type Component = { status: 'UP' | 'DOWN' }

/** Health for probes and people, metrics, and who this is. None of it is wrapped in the envelope. */
export function actuator<Deps extends object>(mount: Mount<Deps>, optional?: Checks<Deps>) {
  mount('GET', `${base}/health`, async (c) => {
    const checks = Object.entries(optional?.(c.env) ?? {})
    const [db, ...others] = await Promise.all([
      database(c.env),
      ...checks.map(([name, check]) => component(c.env, name, check)),
    ])
    const components = Object.fromEntries([
      ['db', db],
      ...checks.map(([name], index) => [name, others[index]]),
    ])
    const degraded = others.some(({ status }) => status === 'DOWN')
    const status = db.status === 'DOWN' ? 'DOWN' : degraded ? 'DEGRADED' : 'UP'
    return c.json({ status, components }, status === 'DOWN' ? 503 : 200)
  })

  mount('GET', `${base}/health/liveness`, (c) => c.json({ status: 'UP' }))

  mount('GET', `${base}/health/readiness`, async (c) => {
    const { status } = await database(c.env)
    return c.json({ status }, status === 'UP' ? 200 : 503)
  })

  mount('GET', `${base}/prometheus`, (c) => {
    c.header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
    return c.body(c.env.kit.metrics.text())
  })

  mount('GET', `${base}/info`, async (c) => {
    const { service, version, runtime, keys } = c.env.kit
    const { current, accepted } = keys()
    const internalKey = {
      current: await keyId(current),
      accepted: await Promise.all(accepted.map(keyId)),
    }
    return c.json({ service, version, runtime, internal_key: internalKey })
  })

  // Where no process lives long enough to do its background work by itself, a request starts it.
  mount('POST', `${base}/tick`, async (c) => {
    const { tick, sweep } = c.env.kit.background
    await sweep()
    return c.json({ ran: await tick() })
  })
}

const database = <Deps>(given: ServiceContext<Deps>) =>
  component(given, 'db', () => given.sql`select 1`)

async function component<Deps>(
  { kit }: ServiceContext<Deps>,
  name: string,
  check: () => Promise<unknown>,
): Promise<Component> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs} ms`)), patienceMs)
  })
  try {
    await Promise.race([check(), late])
    return { status: 'UP' }
  } catch (thrown) {
    kit.log.warn({ component: name, ...errorFields(thrown) }, 'health check failed')
    return { status: 'DOWN' }
  } finally {
    clearTimeout(timer)
  }
}
