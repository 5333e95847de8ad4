import type { KubeObject } from '../objects.ts'
import type { FakeStore, WriteRecord } from './fake-store.ts'

type WatchRequest = {
  collection: string
  namespace: string | undefined
  matches: (object: KubeObject) => boolean
  project: (object: KubeObject) => object
  from: number
  timeoutSeconds: number
  signal: AbortSignal
}

export type Stream = {
  body: AsyncIterable<Uint8Array>
  /** Sends raw bytes. */
  send(bytes: Uint8Array | string): void
  bookmark(): void
  /** Closes the connection, with an error if given. */
  end(error?: Error): void
  /** Stops sending without closing the connection. */
  mute(): void
}

/** One watch: replays the history from the requested version, then sends each change. */
export function openStream(store: FakeStore, request: WatchRequest): Stream {
  const chunks: Uint8Array[] = []
  let wake = () => {}
  let ended: { error?: Error } | undefined
  let muted = false

  function send(bytes: Uint8Array | string) {
    if (muted || ended) return
    chunks.push(typeof bytes === 'string' ? Buffer.from(bytes) : bytes)
    wake()
  }
  function end(error?: Error) {
    if (muted && !request.signal.aborted) return
    ended ??= error ? { error } : {}
    stop()
    clearTimeout(timer)
    wake()
  }
  const sendLine = (type: string, object: object) => send(`${JSON.stringify({ type, object })}\n`)
  const bookmark = () =>
    sendLine('BOOKMARK', { kind: 'Bookmark', metadata: { resourceVersion: `${store.version}` } })

  function sendEvent({ collection, before, after, version }: WriteRecord) {
    const at = (after ?? before)!.metadata
    if (
      collection !== request.collection ||
      (request.namespace && at.namespace !== request.namespace)
    )
      return
    const was = before !== undefined && request.matches(before)
    if (after && request.matches(after))
      sendLine(was ? 'MODIFIED' : 'ADDED', request.project(after))
    else if (was) {
      const metadata = { ...before.metadata, resourceVersion: `${version}` }
      sendLine('DELETED', request.project({ ...before, metadata }))
    }
  }

  for (const written of store.since(request.from)) sendEvent(written)
  const stop = store.subscribe(sendEvent)
  const timer = setTimeout(() => {
    bookmark()
    end()
  }, request.timeoutSeconds * 1000)
  request.signal.addEventListener('abort', () => end(request.signal.reason))

  async function* body() {
    for (;;) {
      const chunk = chunks.shift()
      if (chunk) yield chunk
      else if (ended?.error) throw ended.error
      else if (ended) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return {
    body: body(),
    send,
    bookmark,
    end,
    mute() {
      muted = true
    },
  }
}
