import { ApiError } from './api-error.ts'
import type { Caller } from './call.ts'
import { linesOf } from './lines.ts'
import { apiVersionOf, type KubeObject, type Ref, type Resource } from './objects.ts'
import { within } from './time.ts'

export type Selection = {
  /** All namespaces when it is left out. */
  namespace?: string | undefined
  labelSelector?: string | undefined
  fieldSelector?: string | undefined
  /** Only `metadata` is asked for and sent; the rest of each object never reaches this process. */
  metadataOnly?: boolean | undefined
}

/** `deadline` is in milliseconds, of each attempt. */
export type Within = { signal?: AbortSignal | undefined; deadline?: number | undefined }

export type Listing = Selection & Within & { limit?: number }

export type Following = Selection & {
  resourceVersion: string
  timeoutSeconds: number
  signal: AbortSignal
  /** Called whenever bytes come in, also for those that are no event. */
  alive?: () => void
}

export type Page<T> = { items: T[]; resourceVersion: string }

export type WatchEvent<T> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; object: T }
  | { type: 'ERROR'; object: { code?: number; message?: string; reason?: string } }

const partial = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1`

/** Items of a list leave their kind out, and metadata alone comes under a kind of its own. */
function typed<T extends KubeObject>(resource: Resource, object: T): T {
  object.apiVersion = apiVersionOf(resource)
  object.kind = resource.kind
  return object
}

export async function getOf<T extends KubeObject>(
  { send }: Caller,
  resource: Resource,
  ref: Ref,
  { metadataOnly, ...rest }: Within & { metadataOnly?: boolean },
): Promise<T> {
  const accept = metadataOnly ? partial('PartialObjectMetadata') : undefined
  const found = await send<T>({ verb: 'get', resource, ref, accept, repeatable: true, ...rest })
  return typed(resource, found)
}

type List<T> = { items: T[] | null; metadata: { resourceVersion: string; continue?: string } }

export async function* pagesOf<T extends KubeObject>(
  { send }: Caller,
  resource: Resource,
  { namespace, labelSelector, fieldSelector, metadataOnly, limit = 500, ...rest }: Listing,
): AsyncGenerator<Page<T>> {
  let next: string | undefined
  do {
    const { items, metadata } = await send<List<T>>({
      verb: 'list',
      resource,
      ref: { namespace },
      query: { labelSelector, fieldSelector, limit, continue: next },
      accept: metadataOnly ? partial('PartialObjectMetadataList') : undefined,
      repeatable: true,
      deadline: 60_000,
      ...rest,
    })
    yield {
      items: (items ?? []).map((item) => typed(resource, item)),
      resourceVersion: metadata.resourceVersion,
    }
    next = metadata.continue || undefined
  } while (next)
}

export async function* watchOf<T extends KubeObject>(
  { open }: Caller,
  resource: Resource,
  { namespace, metadataOnly, signal, alive = () => {}, ...query }: Following,
): AsyncGenerator<WatchEvent<T>> {
  const limit = within(30_000, signal)
  try {
    const { body } = await open(
      {
        verb: 'watch',
        resource,
        ref: { namespace },
        query: { ...query, watch: true, allowWatchBookmarks: true },
        accept: metadataOnly ? partial('PartialObjectMetadata') : undefined,
        repeatable: false,
      },
      limit.signal,
    )
    limit.relax()
    alive()
    for await (const line of linesOf(heard(body, alive))) {
      const event = eventIn<T>(line)
      if (event.type !== 'ERROR') typed(resource, event.object)
      yield event
    }
  } catch (error) {
    throw limit.signal.aborted ? limit.signal.reason : error
  } finally {
    limit.end()
    // A body that is not read to its end would keep its connection.
    limit.abort()
  }
}

async function* heard(body: AsyncIterable<Uint8Array>, alive: () => void) {
  for await (const chunk of body) {
    alive()
    yield chunk
  }
}

const types = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']

function eventIn<T>(line: string): WatchEvent<T> {
  const event = JSON.parse(line)
  if (!types.includes(event?.type) || typeof event.object !== 'object' || event.object === null) {
    throw new ApiError(0, 'Garbled', 'the watch sent what is no event')
  }
  return event
}
