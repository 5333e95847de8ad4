const maxLineLength = 8 * 1024 * 1024

/**
 * The lines of a body as they come, several at a time: a chunk may end anywhere, inside a line or inside a
 * character. The last one counts only when it is ended. Silence for longer than `silenceMs` ends it.
 */
export async function* readLines(
  body: ReadableStream<Uint8Array>,
  idleTimeoutMs: number,
): AsyncGenerator<string[]> {
  const reader = body.getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const watch = startIdleTimer(idleTimeoutMs, () => reader.cancel().catch(() => {}))
  let partial = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      watch.reset()
      const text = partial + decoder.decode(value, { stream: true })
      const end = text.lastIndexOf('\n')
      partial = end < 0 ? text : text.slice(end + 1)
      if (partial.length > maxLineLength) throw new Error('a line without end')
      if (end >= 0) yield text.slice(0, end).split('\n')
    }
  } finally {
    watch.stop()
    await reader.cancel().catch(() => {})
  }
}

/** One timer for the whole of it: it looks again later for as long as something was heard meanwhile. */
function startIdleTimer(idleTimeoutMs: number, silent: () => void) {
  let last = performance.now()
  const look = () => {
    const left = last + idleTimeoutMs - performance.now()
    if (left <= 0) silent()
    else timer = setTimeout(look, left)
  }
  let timer = setTimeout(look, idleTimeoutMs)
  return {
    reset() {
      last = performance.now()
    },
    stop: () => clearTimeout(timer),
  }
}
