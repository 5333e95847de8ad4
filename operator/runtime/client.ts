import type { Access } from './access.ts'
import { isConflict, isNotFound } from './api-error.ts'
import type { KubeObject, Ref, Resource } from './objects.ts'
import {
  type CallOptions,
  getObject,
  type ListOptions,
  listPages,
  type Page,
  type WatchEvent,
  type WatchOptions,
  watchObjects,
} from './read-calls.ts'
import { makeRestClient, type RestClient, type RestClientOptions } from './rest-client.ts'
import { httpTransport, type Transport } from './transport.ts'

type MetadataOnly = { metadataOnly?: boolean }
type ApplyOptions = {
  fieldManager: string
  force?: boolean
  dryRun?: boolean
  subresource?: 'status'
}
type DeleteOptions = {
  uid?: string | undefined
  resourceVersion?: string | undefined
  propagation?: 'Foreground' | 'Background' | 'Orphan'
}

/** Client of the API server. Each call has a deadline and throws `ApiError` on an error response. */
export interface Client {
  /** Returns undefined if the object does not exist. */
  get<T extends KubeObject>(
    resource: Resource,
    ref: Ref,
    options?: CallOptions & MetadataOnly,
  ): Promise<T | undefined>
  /** Lists page by page. All pages have the same resource version. */
  pages<T extends KubeObject>(resource: Resource, options?: ListOptions): AsyncIterable<Page<T>>
  list<T extends KubeObject>(resource: Resource, options?: ListOptions): Promise<T[]>
  create<T extends KubeObject>(resource: Resource, object: T, options?: CallOptions): Promise<T>
  /** PUT. Fails with 409 if the resource version is not current. */
  replace<T extends KubeObject>(resource: Resource, object: T, options?: CallOptions): Promise<T>
  /** Server-side apply. `subresource: 'status'` applies the status. */
  apply<T extends KubeObject>(
    resource: Resource,
    object: T,
    options: CallOptions & ApplyOptions,
  ): Promise<T>
  merge<T extends KubeObject>(
    resource: Resource,
    ref: Ref,
    patch: object,
    options?: CallOptions & { subresource?: 'status' },
  ): Promise<T>
  /** Returns false if the object does not exist or does not match the uid or resource version. */
  delete(resource: Resource, ref: Ref, options?: CallOptions & DeleteOptions): Promise<boolean>
  watch<T extends KubeObject>(
    resource: Resource,
    options: WatchOptions,
  ): AsyncIterable<WatchEvent<T>>
  /** Returns whether the API server serves this resource. */
  serves(resource: Resource): Promise<boolean>
}

type ClientOptions = Omit<RestClientOptions, 'transport'> &
  ({ access: Access } | { transport: Transport })

export function makeClient(options: ClientOptions): Client {
  const transport = 'transport' in options ? options.transport : httpTransport(options.access)
  const rest = makeRestClient({ ...options, transport })
  return { ...makeReader(rest), ...makeWriter(rest) }
}

type ReadClient = Pick<Client, 'get' | 'pages' | 'list' | 'watch' | 'serves'>
export type WriteClient = Omit<Client, keyof ReadClient>

const makeReader = (rest: RestClient): ReadClient => ({
  get: <T extends KubeObject>(resource: Resource, ref: Ref, options = {}) =>
    getObject<T>(rest, resource, ref, options).catch(undefinedIfNotFound),
  pages: (resource, options = {}) => listPages(rest, resource, options),
  async list<T extends KubeObject>(resource: Resource, options = {}) {
    const all: T[] = []
    for await (const { items } of listPages<T>(rest, resource, options)) all.push(...items)
    return all
  },
  watch: (resource, options) => watchObjects(rest, resource, options),
  async serves(resource) {
    type ResourceList = { resources: { name: string }[] }
    const version = { ...resource, plural: '', namespaced: false }
    const call = { verb: 'get', resource: version, retryable: true } as const
    const list = await rest.send<ResourceList>(call).catch(undefinedIfNotFound)
    return list?.resources.some(({ name }) => name === resource.plural) ?? false
  },
})

const makeWriter = ({ send }: RestClient): WriteClient => ({
  create(resource, object, options) {
    const ref = { namespace: object.metadata.namespace }
    return send({ verb: 'create', resource, ref, body: object, retryable: false, ...options })
  },
  replace(resource, object, options) {
    const ref = object.metadata
    return send({ verb: 'update', resource, ref, body: object, retryable: false, ...options })
  },
  apply: (resource, object, { fieldManager, force, dryRun, ...rest }) =>
    send({
      verb: 'patch',
      resource,
      ref: object.metadata,
      query: { fieldManager, force, dryRun: dryRun ? 'All' : undefined },
      contentType: 'application/apply-patch+yaml',
      body: object,
      retryable: true,
      ...rest,
    }),
  merge: (resource, ref, patch, options) =>
    send({
      verb: 'patch',
      resource,
      ref,
      contentType: 'application/merge-patch+json',
      body: patch,
      retryable: false,
      ...options,
    }),
  async delete(resource, ref, { uid, resourceVersion, propagation = 'Background', ...rest } = {}) {
    const preconditions = { uid, resourceVersion }
    const body = { propagationPolicy: propagation, preconditions }
    // Without a uid, a retry could delete a successor of the same name.
    const retryable = uid !== undefined
    try {
      await send({ verb: 'delete', resource, ref, body, retryable: retryable, ...rest })
      return true
    } catch (error) {
      if (isNotFound(error) || (isConflict(error) && (uid || resourceVersion))) return false
      throw error
    }
  },
})

function undefinedIfNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error
}
