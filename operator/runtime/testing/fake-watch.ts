import type { KubeObject } from '../objects.ts'
import type { FakeStore, Written } from './fake-store.ts'

type Asked = {
  collection: string
  namespace: string | undefined
  matches: (object: KubeObject) => boolean
  shown: (object: KubeObject) => object
  from: number
  timeoutSeconds: number
  signal: AbortSignal
}

export type Stream = {
  body: AsyncIterable<Uint8Array>
  /** Bytes as they are. */
  send(bytes: Uint8Array | string): void
  bookmark(): void
  /** Ends as a connection does that is closed, or breaks. */
  end(error?: Error): void
  /** From here on nothing comes, and nobody says so. */
  silence(): void
}

/** One watch: what happened since the version asked for, then what happens. */
export function openStream(store: FakeStore, asked: Asked): Stream {
  const chunks: Uint8Array[] = []
  let wake = () => {}
  let over: { error?: Error } | undefined
  let silent = false

  function send(bytes: Uint8Array | string) {
    if (silent || over) return
    chunks.push(typeof bytes === 'string' ? Buffer.from(bytes) : bytes)
    wake()
  }
  function end(error?: Error) {
    if (silent && !asked.signal.aborted) return
    over ??= error ? { error } : {}
    stop()
    clearTimeout(timer)
    wake()
  }
  const line = (type: string, object: object) => send(`${JSON.stringify({ type, object })}\n`)
  const bookmark = () =>
    line('BOOKMARK', { kind: 'Bookmark', metadata: { resourceVersion: `${store.version}` } })

  function tell({ collection, before, after, version }: Written) {
    const at = (after ?? before)!.metadata
    if (collection !== asked.collection || (asked.namespace && at.namespace !== asked.namespace))
      return
    const was = before !== undefined && asked.matches(before)
    if (after && asked.matches(after)) line(was ? 'MODIFIED' : 'ADDED', asked.shown(after))
    else if (was) {
      const metadata = { ...before.metadata, resourceVersion: `${version}` }
      line('DELETED', asked.shown({ ...before, metadata }))
    }
  }

  for (const written of store.since(asked.from)) tell(written)
  const stop = store.follow(tell)
  const timer = setTimeout(() => {
    bookmark()
    end()
  }, asked.timeoutSeconds * 1000)
  asked.signal.addEventListener('abort', () => end(asked.signal.reason))

  async function* body() {
    for (;;) {
      const chunk = chunks.shift()
      if (chunk) yield chunk
      else if (over?.error) throw over.error
      else if (over) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return {
    body: body(),
    send,
    bookmark,
    end,
    silence() {
      silent = true
    },
  }
}
