import { ApiError } from './api-error.ts'
import { formatApiVersion, type KubeObject, type Ref, type Resource } from './objects.ts'
import { readLines } from './read-lines.ts'
import type { RestClient } from './rest-client.ts'
import { withDeadline } from './time.ts'

export type Selection = {
  /** Default: all namespaces. */
  namespace?: string | undefined
  labelSelector?: string | undefined
  fieldSelector?: string | undefined
  /** Requests only metadata, so that the content of the objects never reaches this process. */
  metadataOnly?: boolean | undefined
}

/** `deadlineMs` applies to each attempt. */
export type CallOptions = { signal?: AbortSignal | undefined; deadlineMs?: number | undefined }

export type ListOptions = Selection & CallOptions & { deadline?: number }

export type WatchOptions = Selection & {
  resourceVersion: string
  timeoutSeconds: number
  signal: AbortSignal
  /** Called for each received chunk. */
  onBytes?: () => void
}

export type Page<T> = { items: T[]; resourceVersion: string }

export type WatchEvent<T> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; object: T }
  | { type: 'ERROR'; object: { code?: number; message?: string; reason?: string } }

const metadataAccept = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1`

/** Sets apiVersion and kind: list items omit them, and metadata responses have a kind of their own. */
function withType<T extends KubeObject>(resource: Resource, object: T): T {
  object.apiVersion = formatApiVersion(resource)
  object.kind = resource.kind
  return object
}

export async function getObject<T extends KubeObject>(
  { send }: RestClient,
  resource: Resource,
  ref: Ref,
  { metadataOnly, ...rest }: CallOptions & { metadataOnly?: boolean },
): Promise<T> {
  const accept = metadataOnly ? metadataAccept('PartialObjectMetadata') : undefined
  const object = await send<T>({ verb: 'get', resource, ref, accept, retryable: true, ...rest })
  return withType(resource, object)
}

type List<T> = { items: T[] | null; metadata: { resourceVersion: string; continue?: string } }

export async function* listPages<T extends KubeObject>(
  { send }: RestClient,
  resource: Resource,
  { namespace, labelSelector, fieldSelector, metadataOnly, deadline = 500, ...rest }: ListOptions,
): AsyncGenerator<Page<T>> {
  let continueToken: string | undefined
  do {
    const { items, metadata } = await send<List<T>>({
      verb: 'list',
      resource,
      ref: { namespace },
      query: { labelSelector, fieldSelector, limit: deadline, continue: continueToken },
      accept: metadataOnly ? metadataAccept('PartialObjectMetadataList') : undefined,
      retryable: true,
      deadlineMs: 60_000,
      ...rest,
    })
    yield {
      items: (items ?? []).map((item) => withType(resource, item)),
      resourceVersion: metadata.resourceVersion,
    }
    continueToken = metadata.continue || undefined
  } while (continueToken)
}

export async function* watchObjects<T extends KubeObject>(
  { open }: RestClient,
  resource: Resource,
  { namespace, metadataOnly, signal, onBytes = () => {}, ...query }: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const deadline = withDeadline(30_000, signal)
  try {
    const { body } = await open(
      {
        verb: 'watch',
        resource,
        ref: { namespace },
        query: { ...query, watch: true, allowWatchBookmarks: true },
        accept: metadataOnly ? metadataAccept('PartialObjectMetadata') : undefined,
        retryable: false,
      },
      deadline.signal,
    )
    deadline.relax()
    onBytes()
    for await (const line of readLines(withHeartbeat(body, onBytes))) {
      const event = parseEvent<T>(line)
      if (event.type !== 'ERROR') withType(resource, event.object)
      yield event
    }
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : error
  } finally {
    deadline.end()
    // An unread body would block its connection.
    deadline.abort()
  }
}

async function* withHeartbeat(body: AsyncIterable<Uint8Array>, onBytes: () => void) {
  for await (const chunk of body) {
    onBytes()
    yield chunk
  }
}

const eventTypes = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']

function parseEvent<T>(line: string): WatchEvent<T> {
  const event = JSON.parse(line)
  if (
    !eventTypes.includes(event?.type) ||
    typeof event.object !== 'object' ||
    event.object === null
  ) {
    throw new ApiError(0, 'Garbled', 'invalid watch event')
  }
  return event
}
