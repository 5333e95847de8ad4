import { Fault } from '../_kit/fault.ts'

export interface LimitedBody {
  stream: ReadableStream<Uint8Array> | null
  /** Whether the stream was cut because it exceeded the limit. */
  exceeded(): boolean
}

export const bodyTooLarge = (limit: number) =>
  new Fault('PAYLOAD_TOO_LARGE', `The request body exceeds the limit of ${limit} bytes.`, {
    data: { limit },
  })

/** Limits the body of a request that is forwarded. A body without a length is counted on the way. */
export function limitBody({ headers, body }: Request, limit: number): LimitedBody {
  const announced = headers.get('content-length')
  if (announced !== null && Number(announced) > limit) throw bodyTooLarge(limit)
  // The server enforces an announced length.
  if (!body || announced !== null) return { stream: body, exceeded: () => false }
  let bytes = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length
      if (bytes > limit) controller.error(bodyTooLarge(limit))
      else controller.enqueue(chunk)
    },
  })
  return { stream: body.pipeThrough(counter), exceeded: () => bytes > limit }
}
