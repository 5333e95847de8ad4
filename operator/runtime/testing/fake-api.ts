import type { KubeObject } from '../objects.ts'
import type { Incoming, Outgoing, Transport } from '../transport.ts'
import { makeFakeStore, type Place } from './fake-store.ts'
import { openStream, type Stream } from './fake-watch.ts'
import { ApplyConflict, applied, updated } from './managed.ts'

export type Asked = {
  verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'discover'
  collection: string
  namespace: string | undefined
  name: string | undefined
  subresource: string | undefined
  query: URLSearchParams
}

/** What happens to a request instead of what it asks for: an answer, no answer, or a broken connection. */
export type Fault = { status: number; retryAfter?: number } | 'silence' | 'reset' | 'reset after'

class Refused extends Error {
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
 * An API server in memory, given to a client as its transport: versions, watches with bookmarks, pages,
 * server-side apply with managed fields, status, finalizers, and faults to order. The same calls give the
 * same answers.
 */
export function makeFakeApi(served: Record<string, string[]> = {}) {
  const store = makeFakeStore()
  const streams = new Set<Stream>()
  const asked: Asked[] = []
  /** Lists that are read page by page, as they were at their first. */
  const snapshots = new Map<string, { all: KubeObject[]; version: number; index: number }>()
  /** The first that says something about a request decides. */
  const faults: ((asked: Asked) => Fault | undefined)[] = []

  const transport: Transport = async (request) => {
    const wanted = parsed(request)
    asked.push(wanted)
    request.signal.throwIfAborted()
    const fault = faults.map((ask) => ask(wanted)).find(Boolean)
    if (fault === 'reset') throw reset()
    if (fault === 'silence')
      return new Promise((_, reject) =>
        request.signal.addEventListener('abort', () => reject(request.signal.reason)),
      )
    if (fault && fault !== 'reset after')
      return failure(new Refused(fault.status, 'Ordered'), fault.retryAfter)
    try {
      const answer = handle(wanted, request)
      if (fault === 'reset after') throw reset()
      return answer
    } catch (error) {
      if (error instanceof Refused) return failure(error)
      if (error instanceof ApplyConflict)
        return failure(new Refused(409, 'Conflict', error.message))
      throw error
    }
  }

  function handle(wanted: Asked, request: Outgoing): Incoming {
    const { verb, collection, namespace = '', name = '' } = wanted
    const place = { collection, namespace, name }
    const body = request.body ? JSON.parse(request.body) : undefined
    if (verb === 'discover') return discovery(collection.slice(0, -1))
    if (verb === 'watch') return watch(wanted, request)
    if (verb === 'list') return listing(wanted, request)
    if (verb === 'create') return creation({ ...place, name: body.metadata.name }, body)
    if (verb === 'patch') return patch(wanted, place, body, request.headers['content-type']!)
    const live = store.get(place)
    if (!live) throw new Refused(404, 'NotFound')
    if (verb === 'get') return answer(200, shownTo(request)(live))
    const { uid, resourceVersion } = verb === 'delete' ? (body?.preconditions ?? {}) : body.metadata
    expect(live, uid, resourceVersion)
    if (verb === 'update')
      return answer(
        200,
        store.put(place, updated(live, body, 'other', wanted.subresource === 'status')),
      )
    store.remove(place)
    return answer(200, { kind: 'Status', status: 'Success' })
  }

  function discovery(group: string) {
    const names = served[group]
    if (!names) throw new Refused(404, 'NotFound')
    return answer(200, { kind: 'APIResourceList', resources: names.map((name) => ({ name })) })
  }

  function expect(live: KubeObject, uid?: string, version?: string) {
    const same =
      (!uid || uid === live.metadata.uid) && (!version || version === live.metadata.resourceVersion)
    if (!same) throw new Refused(409, 'Conflict', 'the object has been modified')
  }

  function creation(place: Place, body: KubeObject) {
    if (store.get(place)) throw new Refused(409, 'AlreadyExists')
    const { apiVersion, kind, metadata } = body
    const bare = { apiVersion, kind, metadata: { name: metadata.name, namespace: place.namespace } }
    return answer(201, store.put(place, updated(bare, body, 'other', false)))
  }

  function patch({ query, subresource }: Asked, place: Place, body: KubeObject, type: string) {
    const live = store.get(place)
    const status = subresource === 'status'
    const { uid, resourceVersion } = body.metadata ?? {}
    const isApply = type === 'application/apply-patch+yaml'
    if (live && isApply && uid && uid !== live.metadata.uid) throw new Refused(422, 'Invalid')
    if (live) expect(live, uid, resourceVersion)
    if (!live && (!isApply || status)) throw new Refused(404, 'NotFound')
    if (!live && uid) throw new Refused(409, 'Conflict', 'uid mismatch')
    const { apiVersion, kind } = body
    const base = live ?? {
      apiVersion,
      kind,
      metadata: { name: place.name, namespace: place.namespace },
    }
    const next = isApply
      ? applied(base, body, query.get('fieldManager')!, query.get('force') === 'true', status)
      : updated(base, mergePatch(base, body) as KubeObject, 'other', status)
    if (query.get('dryRun')) return answer(live ? 200 : 201, next)
    return answer(live ? 200 : 201, store.put(place, next))
  }

  function listing({ collection, namespace, query }: Asked, request: Outgoing) {
    const from = snapshots.get(query.get('continue') ?? '') ?? {
      all: store.list(collection, namespace).filter(selector(query)),
      version: store.version,
      index: 0,
    }
    const { all, version, index } = from
    if (index > 0 && version < store.oldest) throw new Refused(410, 'Expired')
    const end = index + Number(query.get('limit') ?? all.length)
    const next = end < all.length ? `page-${snapshots.size}` : undefined
    if (next) snapshots.set(next, { all, version, index: end })
    const items = all
      .slice(index, end)
      .map(shownTo(request))
      .map(({ kind: _, ...item }) => item)
    return answer(200, {
      kind: 'List',
      metadata: { resourceVersion: `${version}`, continue: next },
      items,
    })
  }

  function watch({ collection, namespace, query }: Asked, request: Outgoing): Incoming {
    const from = Number(query.get('resourceVersion'))
    if (from < store.oldest) throw new Refused(410, 'Expired')
    const matches = selector(query)
    const timeoutSeconds = Number(query.get('timeoutSeconds'))
    const { signal } = request
    const stream = openStream(store, {
      collection,
      namespace,
      matches,
      shown: shownTo(request),
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
    asked,
    faults,
    streams,
    /** How many requests changed something, or meant to. */
    writes: () =>
      asked.filter(({ verb }) => ['create', 'update', 'patch', 'delete'].includes(verb)).length,
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

async function* once(bytes: Uint8Array) {
  yield bytes
}

const answer = (status: number, value: unknown): Incoming => ({
  status,
  headers: {},
  body: once(json(value)),
})

const failure = ({ status, reason, message }: Refused, retryAfter?: number): Incoming => ({
  ...answer(status, { kind: 'Status', code: status, reason, message }),
  headers: retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` },
})

function shownTo({ headers }: Outgoing) {
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

function parsed({ method, path }: Outgoing): Asked {
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
