import type { KubeObject } from '../objects.ts'
import type { Transport, TransportRequest, TransportResponse } from '../transport.ts'
import { makeFakeStore, type ObjectPath } from './fake-store.ts'
import { openStream, type Stream } from './fake-watch.ts'
import { ApplyConflict, applyObject, updateObject } from './server-side-apply.ts'

export type FakeRequest = {
  verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'discover'
  collection: string
  namespace: string | undefined
  name: string | undefined
  subresource: string | undefined
  query: URLSearchParams
}

/**
 * Injected fault: an error response, no response, or a connection reset before or after the request is
 * handled.
 */
export type Fault = { status: number; retryAfter?: number } | 'silence' | 'reset' | 'reset after'

class RequestError extends Error {
  readonly status: number
  readonly reason: string
  constructor(status: number, reason: string, message = reason) {
    super(message)
    this.status = status
    this.reason = reason
  }
}

const reset = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })

/**
 * Deterministic in-memory API server, used as the transport of a client. Supports resource versions, watches
 * with bookmarks, pagination, server-side apply with managed fields, the status subresource, finalizers and
 * fault injection.
 */
export function makeFakeApi(served: Record<string, string[]> = {}) {
  const store = makeFakeStore()
  const streams = new Set<Stream>()
  const requests: FakeRequest[] = []
  /** Snapshots of paginated lists. */
  const snapshots = new Map<string, { all: KubeObject[]; version: number; index: number }>()
  /** The first fault returned for a request is used. */
  const faults: ((requests: FakeRequest) => Fault | undefined)[] = []

  const transport: Transport = async (request) => {
    const target = parseRequest(request)
    requests.push(target)
    request.signal.throwIfAborted()
    const fault = faults.map((inject) => inject(target)).find(Boolean)
    if (fault === 'reset') throw reset()
    if (fault === 'silence')
      return new Promise((_, reject) =>
        request.signal.addEventListener('abort', () => reject(request.signal.reason)),
      )
    if (fault && fault !== 'reset after')
      return respondError(new RequestError(fault.status, 'Ordered'), fault.retryAfter)
    try {
      const respond = handle(target, request)
      if (fault === 'reset after') throw reset()
      return respond
    } catch (error) {
      if (error instanceof RequestError) return respondError(error)
      if (error instanceof ApplyConflict)
        return respondError(new RequestError(409, 'Conflict', error.message))
      throw error
    }
  }

  function handle(target: FakeRequest, request: TransportRequest): TransportResponse {
    const { verb, collection, namespace = '', name = '' } = target
    const path = { collection, namespace, name }
    const body = request.body ? JSON.parse(request.body) : undefined
    if (verb === 'discover') return discover(collection.slice(0, -1))
    if (verb === 'watch') return watch(target, request)
    if (verb === 'list') return list(target, request)
    if (verb === 'create') return create({ ...path, name: body.metadata.name }, body)
    if (verb === 'patch') return patch(target, path, body, request.headers['content-type']!)
    const live = store.get(path)
    if (!live) throw new RequestError(404, 'NotFound')
    if (verb === 'get') return respond(200, projectionFor(request)(live))
    const { uid, resourceVersion } = verb === 'delete' ? (body?.preconditions ?? {}) : body.metadata
    assertPreconditions(live, uid, resourceVersion)
    if (verb === 'update')
      return respond(
        200,
        store.put(path, updateObject(live, body, 'other', target.subresource === 'status')),
      )
    store.remove(path)
    return respond(200, { kind: 'Status', status: 'Success' })
  }

  function discover(group: string) {
    const names = served[group]
    if (!names) throw new RequestError(404, 'NotFound')
    return respond(200, { kind: 'APIResourceList', resources: names.map((name) => ({ name })) })
  }

  function assertPreconditions(live: KubeObject, uid?: string, version?: string) {
    const same =
      (!uid || uid === live.metadata.uid) && (!version || version === live.metadata.resourceVersion)
    if (!same) throw new RequestError(409, 'Conflict', 'the object has been modified')
  }

  function create(path: ObjectPath, body: KubeObject) {
    if (store.get(path)) throw new RequestError(409, 'AlreadyExists')
    const { apiVersion, kind, metadata } = body
    const bare = { apiVersion, kind, metadata: { name: metadata.name, namespace: path.namespace } }
    return respond(201, store.put(path, updateObject(bare, body, 'other', false)))
  }

  function patch(
    { query, subresource }: FakeRequest,
    path: ObjectPath,
    body: KubeObject,
    type: string,
  ) {
    const live = store.get(path)
    const status = subresource === 'status'
    const { uid, resourceVersion } = body.metadata ?? {}
    const isApply = type === 'application/apply-patch+yaml'
    if (live && isApply && uid && uid !== live.metadata.uid) throw new RequestError(422, 'Invalid')
    if (live) assertPreconditions(live, uid, resourceVersion)
    if (!live && (!isApply || status)) throw new RequestError(404, 'NotFound')
    if (!live && uid) throw new RequestError(409, 'Conflict', 'uid mismatch')
    const { apiVersion, kind } = body
    const base = live ?? {
      apiVersion,
      kind,
      metadata: { name: path.name, namespace: path.namespace },
    }
    const next = isApply
      ? applyObject(base, body, query.get('fieldManager')!, query.get('force') === 'true', status)
      : updateObject(base, mergePatch(base, body) as KubeObject, 'other', status)
    if (query.get('dryRun')) return respond(live ? 200 : 201, next)
    return respond(live ? 200 : 201, store.put(path, next))
  }

  function list({ collection, namespace, query }: FakeRequest, request: TransportRequest) {
    const from = snapshots.get(query.get('continue') ?? '') ?? {
      all: store.list(collection, namespace).filter(selector(query)),
      version: store.version,
      index: 0,
    }
    const { all, version, index } = from
    if (index > 0 && version < store.oldest) throw new RequestError(410, 'Expired')
    const end = index + Number(query.get('limit') ?? all.length)
    const next = end < all.length ? `page-${snapshots.size}` : undefined
    if (next) snapshots.set(next, { all, version, index: end })
    const items = all
      .slice(index, end)
      .map(projectionFor(request))
      .map(({ kind: _, ...item }) => item)
    return respond(200, {
      kind: 'List',
      metadata: { resourceVersion: `${version}`, continue: next },
      items,
    })
  }

  function watch(
    { collection, namespace, query }: FakeRequest,
    request: TransportRequest,
  ): TransportResponse {
    const from = Number(query.get('resourceVersion'))
    if (from < store.oldest) throw new RequestError(410, 'Expired')
    const matches = selector(query)
    const timeoutSeconds = Number(query.get('timeoutSeconds'))
    const { signal } = request
    const stream = openStream(store, {
      collection,
      namespace,
      matches,
      project: projectionFor(request),
      from,
      timeoutSeconds,
      signal,
    })
    streams.add(stream)
    return { status: 200, headers: {}, body: stream.body }
  }

  return {
    transport,
    store,
    requests,
    faults,
    streams,
    /** Number of mutating requests. */
    writes: () =>
      requests.filter(({ verb }) => ['create', 'update', 'patch', 'delete'].includes(verb)).length,
    eachStream(act: (stream: Stream) => void) {
      for (const stream of streams) act(stream)
    },
    reset: () => {
      for (const stream of streams) stream.end(reset())
      streams.clear()
    },
  }
}

export type FakeApi = ReturnType<typeof makeFakeApi>

const json = (value: unknown) => Buffer.from(JSON.stringify(value))

async function* singleChunk(bytes: Uint8Array) {
  yield bytes
}

const respond = (status: number, value: unknown): TransportResponse => ({
  status,
  headers: {},
  body: singleChunk(json(value)),
})

const respondError = (
  { status, reason, message }: RequestError,
  retryAfter?: number,
): TransportResponse => ({
  ...respond(status, { kind: 'Status', code: status, reason, message }),
  headers: retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` },
})

function projectionFor({ headers }: TransportRequest) {
  const partial = headers.accept?.includes('as=PartialObjectMetadata')
  return (object: KubeObject): KubeObject =>
    partial
      ? { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: object.metadata }
      : object
}

function selector(query: URLSearchParams) {
  const labels = (query.get('labelSelector') ?? '').split(',').filter(Boolean)
  return ({ metadata }: KubeObject) =>
    labels.every((part) => {
      const [name, value] = part.split('=')
      const own = metadata.labels?.[name!]
      return value === undefined ? own !== undefined : own === value
    })
}

const verbs = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
} as const

export function parseRequest({ method, path }: TransportRequest): FakeRequest {
  const url = new URL(path, 'http://fake')
  const parts = url.pathname.slice(1).split('/').map(decodeURIComponent)
  const group = parts[0] === 'api' ? '' : parts[1]!
  const rest = parts.slice(group ? 3 : 2)
  const namespace = rest[0] === 'namespaces' && rest.length > 2 ? rest[1] : undefined
  const [plural, name, subresource] = namespace ? rest.slice(2) : rest
  const { searchParams: query } = url
  const reading = query.get('watch') ? 'watch' : name ? 'get' : 'list'
  const verb =
    method === 'GET' ? (plural ? reading : 'discover') : verbs[method as keyof typeof verbs]
  return { verb, collection: `${group}/${plural ?? ''}`, namespace, name, subresource, query }
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch
  const next: Record<string, unknown> = { ...(target as object) }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete next[name]
    else next[name] = mergePatch(next[name], value)
  }
  return next
}
