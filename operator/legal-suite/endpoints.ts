import type { Change } from '../runtime/informer.ts'
import type { KubeObject } from '../runtime/objects.ts'

/** The fields of an EndpointSlice that are read. Its labels are those of the Service. */
export type EndpointSlice = KubeObject & {
  endpoints?: { conditions?: { ready?: boolean | null } }[]
}

const serviceLabel = 'kubernetes.io/service-name'

/** The API defines that an endpoint without the condition is ready. */
const hasReadyEndpoint = ({ endpoints }: EndpointSlice) =>
  endpoints?.some(({ conditions }) => conditions?.ready !== false) ?? false

/** Reduces the endpoints of a slice to one that says whether any of them is ready. */
export function trimEndpointSlice(slice: EndpointSlice): EndpointSlice {
  const { apiVersion, kind, metadata } = slice
  const { name, namespace, uid, resourceVersion, labels } = metadata
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(labels && { labels }),
    },
    endpoints: [{ conditions: { ready: hasReadyEndpoint(slice) } }],
  }
}

/** Predicate for EndpointSlices: true if a Service gains its first or loses its last ready endpoint of a slice. */
export const endpointsChanged = (change: Change<EndpointSlice>): boolean =>
  change.type === 'updated'
    ? hasReadyEndpoint(change.before) !== hasReadyEndpoint(change.object)
    : change.type !== 'resync' && hasReadyEndpoint(change.object)

/** Returns whether a Service has a ready endpoint, so that requests to its name are answered. */
export function makeEndpointLookup(slices: EndpointSlice[]): (service: string) => boolean {
  const reachable = new Set(
    slices.filter(hasReadyEndpoint).map(({ metadata }) => metadata.labels?.[serviceLabel]),
  )
  return (service) => reachable.has(service)
}
