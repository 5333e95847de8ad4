import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type * as z from 'zod'
import { jsonLimit, readJson, textProblem } from './body.ts'
import type { Env } from './context.ts'
import { Fault, type FaultKind, invalid, notFound } from './fault.ts'
import { idempotent } from './idempotency.ts'
import { type Guard, parseCaller } from './identity.ts'
import { parseInSlices } from './parse-in-slices.ts'
import { withText } from './response-text.ts'

/** Bodies with more characters are parsed in slices. */
const largeBody = 256 * 1024

type Schema = z.ZodType
type Output<S> = S extends Schema ? z.output<S> : undefined

/** Declaration of an endpoint: input, responses, faults. The API description is generated from it. */
export interface Spec<
  Params extends Schema | undefined = Schema | undefined,
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
> {
  summary: string
  description?: string
  /** Requirement on the caller, beside the internal key on internal paths. */
  guard?: Guard
  params?: Params
  query?: Query
  body?: Body
  /** Example body for the API description. */
  example?: Body extends Schema ? z.input<Body> : undefined
  /** Maximum size of the JSON body in bytes. Default: 1 MiB. */
  bodyLimit?: number
  /** OpenAPI media types of a body that the handler reads as a stream. */
  stream?: Record<string, object>
  /** Schema of `data` by success status. A status of a fault is named if it has no envelope. */
  responses: Record<number, Schema | Content>
  /** Faults beside those implied by the guard, parameters and body. */
  faults?: readonly FaultKind[]
  /** The record has a version: responses carry an ETag, writes accept If-Match. */
  versioned?: boolean
  /** Accepts an Idempotency-Key. `itself`: the handler implements it. */
  idempotencyKey?: boolean | 'itself'
}

/** A response without envelope: its OpenAPI media types and headers. */
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

/** Builds `get`, `post`, `put`, `patch` and `del` for a service with dependencies `Deps`. */
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
        const caller = parseCaller(c.req.raw.headers)
        c.set('caller', caller)
        const pendingCheck = spec.guard?.check(caller, c)
        if (pendingCheck) await pendingCheck
        const params = spec.params && parseParams(spec.params, c)
        const query = spec.query && parseQuery(spec.query, c)
        const { text, value } = spec.body
          ? await readJson(c.req.raw, spec.bodyLimit ?? jsonLimit)
          : { text: '', value: undefined }
        const body =
          spec.body &&
          (text.length > largeBody
            ? dataOrFault(await parseInSlices(spec.body, value))
            : parseOrFault(spec.body, value))
        const run = () => handle(c, { params, query, body } as Input<P, Q, B>)
        // The body of a stream is known only after the handler has read it, so the handler checks the key.
        const response =
          spec.idempotencyKey === true && !spec.stream ? idempotent(c, text, run) : run()
        // Awaited here: a promise that is returned takes two more turns of the microtask queue.
        return await response
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

/** Parses path parameters. A parameter that cannot name a record is a 404. */
function parseParams(schema: Schema, c: Context): unknown {
  const params = c.req.param() as Record<string, string>
  const parsed = schema.safeParse(params)
  if (!parsed.success || Object.values(params).some(textProblem)) throw notFound('such record')
  return parsed.data
}

function parseQuery(schema: Schema, c: Context): unknown {
  const query = c.req.query()
  for (const [path, value] of Object.entries(query)) {
    const message = textProblem(value)
    if (message) throw invalid([{ path, message }])
  }
  return parseOrFault(schema, query)
}

function parseOrFault(schema: Schema, value: unknown): unknown {
  const parsed = schema.safeParse(value)
  return dataOrFault(parsed.success ? parsed : { success: false, issues: parsed.error.issues })
}

function dataOrFault(parsed: Awaited<ReturnType<typeof parseInSlices>>): unknown {
  if (parsed.success) return parsed.data
  throw invalid(
    parsed.issues.slice(0, 50).map((issue) => ({
      path: issue.path.join('.'),
      message: issue.message,
    })),
  )
}

export function ok<T>(c: Context, data: T, status: ContentfulStatusCode = 200): Response {
  const text = JSON.stringify({ code: 0, message: 'ok', data })
  const headers = { 'Content-Type': 'application/json' }
  // A body costs more than the rest of the response.
  const response = c.env?.sendsText ? c.body(null, status, headers) : c.body(text, status, headers)
  return withText(response, text)
}

/** Responds with a record and its version as ETag. */
export function okWithETag<T extends { version: number }>(
  c: Context,
  record: T,
  status: ContentfulStatusCode = 200,
) {
  const response = ok(c, record, status)
  response.headers.set('ETag', `"${record.version}"`)
  return response
}

/** The version required by `If-Match`, or null if any matches. A malformed tag matches no version (-1). */
export function ifMatch(c: Context): number | null {
  const header = c.req.header('if-match')?.trim()
  if (!header || header === '*') return null
  const tag = /^(?:W\/)?"(\d{1,9})"$|^(\d{1,9})$/.exec(header)
  return tag ? Number(tag[1] ?? tag[2]) : -1
}

export const staleVersion = (current: number) =>
  new Fault(
    'VERSION_CONFLICT',
    `Version conflict: the current version is ${current}. Read the record again.`,
    {
      data: { version: current },
    },
  )
