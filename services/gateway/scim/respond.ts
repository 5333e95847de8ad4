import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import * as z from 'zod'
import { textProblem } from '../../_kit/body.ts'
import type { Env } from '../../_kit/context.ts'
import { toFault } from '../../_kit/fault.ts'
import { accepts } from '../../_kit/keys.ts'
import type { Deps } from '../deps.ts'

type RequestContext = Context<Env<Deps>>
type Resource = Record<string, unknown>

/** SCIM responses have a media type and an error format of their own (RFC 7644). */
export const scimContent = { content: { 'application/scim+json': { schema: { type: 'object' } } } }

const errorSchema = {
  type: 'object',
  required: ['schemas', 'status', 'detail'],
  properties: {
    schemas: { type: 'array', items: { type: 'string' } },
    status: { type: 'string' },
    detail: { type: 'string' },
    scimType: { type: 'string' },
  },
}
const scimError = { content: { 'application/scim+json': { schema: errorSchema } } }
/** Malformed JSON and parameters are rejected before SCIM, with the envelope. */
const rejected = {
  content: {
    ...scimError.content,
    'application/json': { schema: { $ref: '#/components/schemas/Fault' } },
  },
}

/** Errors of every SCIM endpoint, for its description. */
export const scimErrors = { 400: rejected, 401: scimError, 404: rejected, 409: scimError }

export class ScimError extends Error {
  readonly status: ContentfulStatusCode
  readonly scimType: string | undefined

  constructor(status: ContentfulStatusCode, detail: string, scimType?: string) {
    super(detail)
    this.status = status
    this.scimType = scimType
  }
}

/** Whether a request carries SCIM_TOKEN. */
export function hasScimToken(c: RequestContext): boolean {
  const { scim } = c.env
  const sent = /^Bearer (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? ''
  return scim !== undefined && accepts({ current: scim.token, accepted: [] }, sent)
}

/** Runs a SCIM handler: requires the token and converts every failure to an error of SCIM. */
export async function respondScim(
  c: RequestContext,
  handle: () => Promise<Resource | null>,
  status: ContentfulStatusCode = 200,
): Promise<Response> {
  try {
    if (!c.env.scim) throw new ScimError(404, 'SCIM is not configured.')
    if (!hasScimToken(c)) throw new ScimError(401, 'The bearer token is missing or wrong.')
    const resource = await handle()
    return resource === null ? c.body(null, 204) : send(c, resource, status)
  } catch (thrown) {
    const error = toScimError(thrown)
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error']
    const { scimType, message } = error
    return send(
      c,
      { schemas, status: String(error.status), detail: message, ...(scimType && { scimType }) },
      error.status,
    )
  }
}

const send = (c: RequestContext, resource: Resource, status: ContentfulStatusCode) =>
  c.body(JSON.stringify(resource), status, { 'Content-Type': 'application/scim+json' })

function toScimError(thrown: unknown): ScimError {
  if (thrown instanceof ScimError) return thrown
  if (thrown instanceof z.ZodError) {
    const [issue] = thrown.issues
    return new ScimError(400, `${issue?.path.join('.')}: ${issue?.message}`, 'invalidValue')
  }
  const fault = toFault(thrown)
  return fault.kind === 'CONFLICT'
    ? new ScimError(409, 'The name is taken.', 'uniqueness')
    : new ScimError(fault.status, fault.message)
}

export const ListQuery = z.object({
  filter: z.string().max(1_000).optional(),
  startIndex: z.string().max(50).optional().describe('From 1, the default. Other values are 1.'),
  count: z.string().max(50).optional().describe('At most 200. Default: 100.'),
})

/** Bounds of a list. A value that is not an integer is replaced by its default. */
export function resolveBounds({ startIndex, count }: z.output<typeof ListQuery>) {
  const toInteger = (text: string | undefined, byDefault: number) => {
    const number = text === undefined || text.trim() === '' ? byDefault : Number(text)
    return Number.isSafeInteger(number) ? number : byDefault
  }
  return {
    offset: Math.max(1, toInteger(startIndex, 1)) - 1,
    limit: Math.min(Math.max(0, toInteger(count, 100)), 200),
  }
}

export const listResponse = (resources: Resource[], total: number, offset: number) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults: total,
  startIndex: offset + 1,
  itemsPerPage: resources.length,
  Resources: resources,
})

/** Parses the filters that directories send to find one resource: `userName eq "a@b.example"`. */
export function parseFilter(filter: string | undefined, attributes: readonly string[]) {
  if (filter === undefined || filter.trim() === '') return undefined
  const match = /^\s*(\w+)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i.exec(filter)
  const attribute = attributes.find((each) => each.toLowerCase() === match?.[1]?.toLowerCase())
  const value = parseText(match?.[2])
  if (attribute === undefined || value === undefined) {
    const supported = attributes.map((each) => `${each} eq "…"`).join(', ')
    throw new ScimError(400, `Supported filters: ${supported}.`, 'invalidFilter')
  }
  return { attribute, value }
}

/** Parses a JSON string. Returns undefined for one that is not valid or cannot be stored. */
function parseText(literal = ''): string | undefined {
  try {
    const text: string = JSON.parse(literal)
    return textProblem(text) === null ? text : undefined
  } catch {
    return undefined
  }
}
