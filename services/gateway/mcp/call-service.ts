import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../../_kit/context.ts'
import { Fault, faultFrom } from '../../_kit/fault.ts'
import { requireScope } from '../authorize.ts'
import type { Deps } from '../deps.ts'
import { listIdentityHeaders, type Principal } from '../principal.ts'
import { startDeadline } from '../start-deadline.ts'
import type { ServiceName } from '../target.ts'

/** A person who calls tools, with the request that carries the call. */
export interface ToolCaller {
  c: Context<Env<Deps>>
  principal: Principal
}

const Envelope = z.object({
  code: z.union([z.number(), z.string()]),
  message: z.string(),
  data: z.unknown(),
})

/** Sends a request to an external path of a service as the person, within the scopes of their token. */
export async function sendAs(
  { c, principal }: ToolCaller,
  service: ServiceName,
  path: string,
  body?: unknown,
): Promise<Response> {
  const method = body === undefined ? 'GET' : 'POST'
  requireScope(principal, method, { service, path: path.replace(/\?.*/s, '') })
  const headers = {
    'x-request-id': c.var.requestId,
    traceparent: c.var.traceparent,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...Object.fromEntries(listIdentityHeaders(principal.identity)),
  }
  // A turn may last longer than the limit; it covers the time until the headers of the response.
  const deadline = startDeadline(c.env.timeoutMs, c.req.raw.signal)
  const request = new Request(`http://peer${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: deadline.signal,
  })
  try {
    return await c.env.peer(service)(request)
  } catch {
    throw unavailable(service)
  } finally {
    deadline.clear()
  }
}

/** Calls a service and returns the data of its envelope. Throws the fault of the service. */
export async function callService(
  caller: ToolCaller,
  service: ServiceName,
  path: string,
  body?: unknown,
): Promise<unknown> {
  try {
    const response = await sendAs(caller, service, path, body)
    const { code, message, data } = Envelope.parse(await response.json())
    if (code !== 0) throw faultFrom(response.status, String(code), message, data)
    return data
  } catch (thrown) {
    throw thrown instanceof Fault ? thrown : unavailable(service)
  }
}

const unavailable = (service: string) =>
  new Fault('UPSTREAM_UNAVAILABLE', `${service} is not available. Try again later.`)

/** Query string of the parameters that are set. */
export function formatQuery(parameters: Record<string, string | number | undefined>): string {
  const entries = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return entries.length === 0
    ? ''
    : `?${new URLSearchParams(entries.map(([k, v]) => [k, String(v)]))}`
}
