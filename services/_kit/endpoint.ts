import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type * as z from 'zod'
import { jsonLimit, readJson, textProblem } from './body.ts'
import { Fault, type FaultKind, invalid, notFound } from './fault.ts'
import { idempotent } from './idempotency.ts'
import { type Caller, callerOf, type Guard } from './identity.ts'
import type { ServiceContext } from './service.ts'

/** `c.env` is what the service was given, `c.var` is what this request said. */
export type Env<Deps> = {
  Bindings: ServiceContext<Deps>
  Variables: {
    requestId: string
    traceparent: string
    caller: Caller
  }
}

type Schema = z.ZodType
type Output<S> = S extends Schema ? z.output<S> : undefined

/** An endpoint but for its code: what it takes, what it answers. The API description is made of this. */
export interface Spec<
  Params extends Schema | undefined = Schema | undefined,
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
> {
  summary: string
  description?: string
  /** What must hold of the caller, beyond the internal key on internal paths. */
  guard?: Guard
  params?: Params
  query?: Query
  body?: Body
  /** A body to try it with, for the description. */
  example?: Body extends Schema ? z.input<Body> : undefined
  /** The most bytes a JSON body may have. */
  bodyLimit?: number
  /** A body that the handler reads itself as it comes: its media types, as OpenAPI writes them. */
  stream?: Record<string, object>
  /** The `data` of each successful answer, by status. */
  responses: Record<number, Schema | Content>
  /** Faults that this endpoint adds to those its parts imply. */
  faults?: readonly FaultKind[]
  /** The record carries a version: answers have an ETag, writes take If-Match. */
  versioned?: boolean
  /** The POST makes a record, so it takes an Idempotency-Key; `itself` where its handler sees to that. */
  idempotencyKey?: boolean | 'itself'
}

/** An answer outside the envelope: its media types and headers, as OpenAPI writes them. */
export interface Content {
  content: Record<string, object>
  headers?: Record<string, object>
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

export interface Endpoint<Deps = any> {
  method: Method
  path: string
  spec: Spec
  respond(c: Context<Env<Deps>>): Promise<Response>
}

type Input<P, Q, B> = { params: Output<P>; query: Output<Q>; body: Output<B> }

/** `get`, `post`, `put`, `patch` and `del` of a service whose handlers are given `Deps`. */
export function endpoints<Deps extends object>() {
  const make =
    (method: Method) =>
    <
      P extends Schema | undefined = undefined,
      Q extends Schema | undefined = undefined,
      B extends Schema | undefined = undefined,
    >(
      path: string,
      spec: Spec<P, Q, B>,
      handle: (c: Context<Env<Deps>>, input: Input<P, Q, B>) => Promise<Response>,
    ): Endpoint<Deps> => ({
      method,
      path,
      spec,
      async respond(c) {
        const caller = callerOf(c.req.raw.headers)
        c.set('caller', caller)
        const asking = spec.guard?.check(caller, c)
        if (asking) await asking
        const params = spec.params && parseParams(spec.params, c)
        const query = spec.query && parseQuery(spec.query, c)
        const { text, value } = spec.body
          ? await readJson(c.req.raw, spec.bodyLimit ?? jsonLimit)
          : { text: '', value: undefined }
        const body = spec.body && parseOrFault(spec.body, value)
        const answer = () => handle(c, { params, query, body } as Input<P, Q, B>)
        // What a stream said is known when it has been read: there the handler sees to the key itself.
        return spec.idempotencyKey === true && !spec.stream ? idempotent(c, text, answer) : answer()
      },
    })
  return {
    get: make('get'),
    post: make('post'),
    put: make('put'),
    patch: make('patch'),
    del: make('delete'),
  }
}

/** A path that can't name anything of ours names nothing: 404. */
function parseParams(schema: Schema, c: Context): unknown {
  const given = c.req.param() as Record<string, string>
  const parsed = schema.safeParse(given)
  if (!parsed.success || Object.values(given).some(textProblem)) throw notFound('such record')
  return parsed.data
}

function parseQuery(schema: Schema, c: Context): unknown {
  const given = c.req.query()
  for (const [path, value] of Object.entries(given)) {
    const message = textProblem(value)
    if (message) throw invalid([{ path, message }])
  }
  return parseOrFault(schema, given)
}

function parseOrFault(schema: Schema, value: unknown): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw invalid(
    parsed.error.issues.slice(0, 50).map((issue) => ({
      path: issue.path.join('.'),
      message: issue.message,
    })),
  )
}

export const ok = <T>(c: Context, data: T, status: ContentfulStatusCode = 200) =>
  c.json({ code: 0, message: 'ok', data }, status)

/** Answers with a record and the ETag of its version. */
export function okWithETag<T extends { version: number }>(
  c: Context,
  record: T,
  status: ContentfulStatusCode = 200,
) {
  const answer = ok(c, record, status)
  answer.headers.set('ETag', `"${record.version}"`)
  return answer
}

/**
 * The version that `If-Match` asks for, or null when any will do. A tag that is not one of ours
 * matches no version.
 */
export function ifMatch(c: Context): number | null {
  const header = c.req.header('if-match')?.trim()
  if (!header || header === '*') return null
  const tag = /^(?:W\/)?"(\d{1,9})"$|^(\d{1,9})$/.exec(header)
  return tag ? Number(tag[1] ?? tag[2]) : -1
}

export const staleVersion = (current: number) =>
  new Fault('VERSION_CONFLICT', `The record is at version ${current} by now; read it again.`, {
    data: { version: current },
  })
