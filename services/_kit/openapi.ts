import * as z from 'zod'
import { jsonLimit } from './body.ts'
import type { Endpoint, Spec } from './endpoint.ts'
import { type FaultKind, httpStatus } from './fault.ts'
import { keyHeader } from './idempotency.ts'
import {
  conventions,
  envelope,
  etag,
  faultSchema,
  ifMatchHeader,
  replayed,
  requestId,
  requestIdHeader,
} from './openapi/parts.ts'
import { type Json, makeSchemas, type SchemaBuilder } from './openapi/schemas.ts'

const internal = (path: string) => path.startsWith('/api/v1/internal/')

/** If-Match applies to existing records only. */
const takesIfMatch = ({ method, spec }: Endpoint) =>
  spec.versioned && method !== 'get' && !spec.idempotencyKey

/** Faults implied by the input of an endpoint and those it declares. */
function possibleFaults(endpoint: Endpoint): Set<FaultKind> {
  const { path, spec } = endpoint
  return new Set<FaultKind>([
    // Identity headers are checked on every path.
    'VALIDATION_FAILED',
    ...(internal(path) ? (['UNAUTHENTICATED'] as const) : []),
    ...(spec.guard?.faults ?? []),
    ...(spec.params ? (['NOT_FOUND'] as const) : []),
    ...(spec.body || spec.stream ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(spec.idempotencyKey ? (['CONFLICT'] as const) : []),
    ...(takesIfMatch(endpoint) ? (['VERSION_CONFLICT'] as const) : []),
    ...(spec.faults ?? []),
  ])
}

/** Generates OpenAPI 3.1 from the schemas that validate requests. */
export function describe(title: string, version: string, endpoints: readonly Endpoint[]): Json {
  const schemas: Json = { Fault: faultSchema }
  const buildSchema = makeSchemas(schemas)
  // Responses first: where request and response differ, the response gets the plain name.
  for (const { spec } of endpoints) {
    for (const response of Object.values(spec.responses)) {
      if (response instanceof z.ZodType) buildSchema(response, 'output')
    }
  }
  const paths: Json = {}
  for (const endpoint of endpoints) {
    const path = template(endpoint.path)
    paths[path] ??= {}
    paths[path][endpoint.method] = operation(endpoint, buildSchema)
  }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description: conventions,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas,
      headers: { RequestId: requestId },
      securitySchemes: {
        internalKey: { type: 'apiKey', in: 'header', name: 'X-Internal-Api-Key' },
      },
    },
  }
}

/** Converts a Hono path to an OpenAPI path: `/files/:id{[^/]{36}}` → `/files/{id}`. */
const template = (path: string) => path.replace(/:(\w+)(?:\{(?:[^{}]|\{[^{}]*\})*\})?\??/g, '{$1}')

function operation(endpoint: Endpoint, buildSchema: SchemaBuilder): Json {
  const { method, path, spec } = endpoint
  const words = template(path)
    .replace('/api/v1', '')
    .replace(/[^A-Za-z0-9]+(\w?)/g, (_, letter: string) => letter.toUpperCase())
  return {
    operationId: method + words,
    summary: spec.summary,
    ...(spec.description && { description: spec.description }),
    tags: [path.replace(/^\/api\/v1\/(internal\/)?/, '').split('/')[0]],
    parameters: parameters(endpoint, buildSchema),
    ...(spec.body && {
      requestBody: {
        required: !spec.body.safeParse(undefined).success,
        description: `At most ${(spec.bodyLimit ?? jsonLimit) / 1024} KiB.`,
        content: {
          'application/json': {
            schema: buildSchema(spec.body, 'input'),
            ...(spec.example !== undefined && { example: spec.example }),
          },
        },
      },
    }),
    ...(spec.stream && { requestBody: { required: true, content: spec.stream } }),
    responses: { ...faults(endpoint), ...describeResponses(spec, buildSchema) },
    ...(internal(path) && { security: [{ internalKey: [] }] }),
  }
}

const descriptions: Record<string, string> = {
  201: 'Created.',
  202: 'Started.',
  206: 'The requested range.',
  304: 'Not changed.',
}

function describeResponses(spec: Spec, buildSchema: SchemaBuilder): Json {
  return Object.fromEntries(
    Object.entries(spec.responses).map(([status, response]) => [
      status,
      {
        description: descriptions[status] ?? (Number(status) < 400 ? 'Done.' : 'Refused.'),
        headers: {
          ...requestIdHeader,
          ...(spec.versioned && hasVersion(response) && { ETag: etag }),
          ...(spec.idempotencyKey && { 'Idempotency-Replayed': replayed }),
          ...('headers' in response && response.headers),
        },
        content:
          response instanceof z.ZodType
            ? { 'application/json': { schema: envelope(buildSchema(response, 'output')) } }
            : response.content,
      },
    ]),
  )
}

const hasVersion = (schema: unknown) => schema instanceof z.ZodObject && 'version' in schema.shape

function faults(endpoint: Endpoint): Json {
  const byStatus = new Map<number, FaultKind[]>()
  for (const kind of possibleFaults(endpoint)) {
    byStatus.set(httpStatus(kind), [...(byStatus.get(httpStatus(kind)) ?? []), kind])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, kinds]) => [
      status,
      {
        description: kinds.join(', '),
        headers: requestIdHeader,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Fault' } } },
      },
    ]),
  )
}

function parameters(endpoint: Endpoint, buildSchema: SchemaBuilder): Json[] {
  const { spec } = endpoint
  const fromSchema = (schema: z.ZodType | undefined, place: 'path' | 'query') => {
    if (!schema) return []
    const { properties, required = [] } = buildSchema(schema, 'input')
    return Object.entries<Json>(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description && { description }),
      schema,
    }))
  }
  const headers = [
    ...(spec.guard?.headers ?? []),
    ...(spec.idempotencyKey ? [keyHeader] : []),
    ...(takesIfMatch(endpoint) ? [ifMatchHeader] : []),
  ]
  return [
    ...fromSchema(spec.params, 'path'),
    ...fromSchema(spec.query, 'query'),
    ...headers.map((header) => ({ ...header, in: 'header' })),
  ]
}
