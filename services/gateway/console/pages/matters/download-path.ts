import type { Deliverable } from '../../api/types.ts'

/** The signed address of a deliverable by way of the gateway, which serves this page. */
export function downloadPath({ presigned_url }: Deliverable): string | undefined {
  if (presigned_url === null) return undefined
  const { pathname, search } = new URL(presigned_url)
  return `/files-service${pathname.replace(/^\/files-service/, '')}${search}`
}
