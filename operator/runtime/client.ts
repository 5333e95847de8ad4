import type { Access } from './access.ts'
import { isConflict, isNotFound } from './api-error.ts'
import { type Caller, type CallerOptions, makeCaller } from './call.ts'
import type { KubeObject, Ref, Resource } from './objects.ts'
import {
  type Following,
  getOf,
  type Listing,
  type Page,
  pagesOf,
  type WatchEvent,
  type Within,
  watchOf,
} from './reading.ts'
import { httpTransport, type Transport } from './transport.ts'

type MetadataOnly = { metadataOnly?: boolean }
type Apply = { fieldManager: string; force?: boolean; dryRun?: boolean; subresource?: 'status' }
type Delete = {
  uid?: string | undefined
  resourceVersion?: string | undefined
  propagation?: 'Foreground' | 'Background' | 'Orphan'
}

/** The API server. Every call has a deadline, and throws `ApiError` when it is answered with one. */
export interface Client {
  /** `undefined` when there is none. */
  get<T extends KubeObject>(
    resource: Resource,
    ref: Ref,
    options?: Within & MetadataOnly,
  ): Promise<T | undefined>
  /** Page by page; all pages show the same moment, whose resource version each of them carries. */
  pages<T extends KubeObject>(resource: Resource, options?: Listing): AsyncIterable<Page<T>>
  list<T extends KubeObject>(resource: Resource, options?: Listing): Promise<T[]>
  create<T extends KubeObject>(resource: Resource, object: T, options?: Within): Promise<T>
  /** PUT: refused with 409 when the object changed since the given resource version. */
  replace<T extends KubeObject>(resource: Resource, object: T, options?: Within): Promise<T>
  /** Server-side apply; with `subresource: 'status'`, of the status. */
  apply<T extends KubeObject>(resource: Resource, object: T, options: Within & Apply): Promise<T>
  /** JSON merge patch. */
  merge<T extends KubeObject>(
    resource: Resource,
    ref: Ref,
    patch: object,
    options?: Within & { subresource?: 'status' },
  ): Promise<T>
  /** False when there was none, or another one than the given uid or version names. */
  delete(resource: Resource, ref: Ref, options?: Within & Delete): Promise<boolean>
  watch<T extends KubeObject>(resource: Resource, options: Following): AsyncIterable<WatchEvent<T>>
  /** Whether the API server serves this resource: definitions of others may be absent. */
  serves(resource: Resource): Promise<boolean>
}

type ClientOptions = Omit<CallerOptions, 'transport'> &
  ({ access: Access } | { transport: Transport })

export function makeClient(options: ClientOptions): Client {
  const transport = 'transport' in options ? options.transport : httpTransport(options.access)
  const caller = makeCaller({ ...options, transport })
  return { ...readingWith(caller), ...writingWith(caller) }
}

type Reading = Pick<Client, 'get' | 'pages' | 'list' | 'watch' | 'serves'>
export type Writing = Omit<Client, keyof Reading>

const readingWith = (caller: Caller): Reading => ({
  get: <T extends KubeObject>(resource: Resource, ref: Ref, options = {}) =>
    getOf<T>(caller, resource, ref, options).catch(absent),
  pages: (resource, options = {}) => pagesOf(caller, resource, options),
  async list<T extends KubeObject>(resource: Resource, options = {}) {
    const all: T[] = []
    for await (const { items } of pagesOf<T>(caller, resource, options)) all.push(...items)
    return all
  },
  watch: (resource, options) => watchOf(caller, resource, options),
  async serves(resource) {
    type Found = { resources: { name: string }[] }
    const version = { ...resource, plural: '', namespaced: false }
    const call = { verb: 'get', resource: version, repeatable: true } as const
    const found = await caller.send<Found>(call).catch(absent)
    return found?.resources.some(({ name }) => name === resource.plural) ?? false
  },
})

const writingWith = ({ send }: Caller): Writing => ({
  create(resource, object, options) {
    const ref = { namespace: object.metadata.namespace }
    return send({ verb: 'create', resource, ref, body: object, repeatable: false, ...options })
  },
  replace(resource, object, options) {
    const ref = object.metadata
    return send({ verb: 'update', resource, ref, body: object, repeatable: false, ...options })
  },
  apply: (resource, object, { fieldManager, force, dryRun, ...rest }) =>
    send({
      verb: 'patch',
      resource,
      ref: object.metadata,
      query: { fieldManager, force, dryRun: dryRun ? 'All' : undefined },
      contentType: 'application/apply-patch+yaml',
      body: object,
      repeatable: true,
      ...rest,
    }),
  merge: (resource, ref, patch, options) =>
    send({
      verb: 'patch',
      resource,
      ref,
      contentType: 'application/merge-patch+json',
      body: patch,
      repeatable: false,
      ...options,
    }),
  async delete(resource, ref, { uid, resourceVersion, propagation = 'Background', ...rest } = {}) {
    const preconditions = { uid, resourceVersion }
    const body = { propagationPolicy: propagation, preconditions }
    // Sent twice it could hit a successor of the same name, unless the uid says which is meant.
    const repeatable = uid !== undefined
    try {
      await send({ verb: 'delete', resource, ref, body, repeatable, ...rest })
      return true
    } catch (error) {
      if (isNotFound(error) || (isConflict(error) && (uid || resourceVersion))) return false
      throw error
    }
  },
})

function absent(error: unknown): undefined {
  if (!isNotFound(error)) throw error
}
