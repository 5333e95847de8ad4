import type { Checks, Mount, ServiceContext } from './context.ts'
import { keyId } from './keys.ts'
import { errorFields } from './log.ts'

const base = '/api/v1/internal/actuator'
const checkTimeoutMs = 2_000

type Component = { status: 'UP' | 'DOWN' }

/** Mounts health, metrics, info and tick. Responses are not wrapped in the envelope. */
export function actuator<Deps extends object>(mount: Mount<Deps>, healthChecks?: Checks<Deps>) {
  mount('GET', `${base}/health`, async (c) => {
    const checks = Object.entries(healthChecks?.(c.env) ?? {})
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
    const { status } = c.env.kit.isReady() ? await database(c.env) : { status: 'DOWN' }
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

  // Runs background work on request, for runtimes without a long-lived process.
  mount('POST', `${base}/tick`, async (c) => {
    const { tick, sweep } = c.env.kit.background
    await sweep()
    return c.json({ ran: await tick() })
  })
}

const database = <Deps>(context: ServiceContext<Deps>) =>
  component(context, 'db', () => context.sql`select 1`)

async function component<Deps>(
  { kit }: ServiceContext<Deps>,
  name: string,
  check: () => Promise<unknown>,
): Promise<Component> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no response within ${checkTimeoutMs} ms`)),
      checkTimeoutMs,
    )
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
