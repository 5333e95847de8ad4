import type { Context } from 'hono'
import type * as z from 'zod'
import type { Env } from '../_kit/context.ts'
import type { Client } from '../_kit/peer.ts'
import type { Deps } from './deps.ts'

export const enginePath = '/api/v1/internal/ai'

type RequestContext = Context<Env<Deps>>

/** Request context that a proxied call forwards: identity, request id and trace. */
export const forwardedContext = (c: RequestContext) => {
  const { requestId, traceparent } = c.var
  return { headers: c.req.raw.headers, requestId, traceparent }
}

/** Reads a path of the AI engine as the caller. */
export const requestEngine = <T>(
  c: RequestContext,
  schema: z.ZodType<T>,
  path: string,
): Promise<T> => c.env.engine.request(schema, path, { from: forwardedContext(c) })

/** Sends a body to another service as the caller. */
export const postAs = <T>(
  c: RequestContext,
  client: Client,
  schema: z.ZodType<T>,
  path: string,
  body: unknown,
): Promise<T> => client.request(schema, path, { method: 'POST', body, from: forwardedContext(c) })

/** Query string of the parameters that are set, with the question mark. */
export function queryString(query: Record<string, string | undefined>): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined)
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries as [string, string][])}`
}
