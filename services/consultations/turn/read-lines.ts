const maxLineLength = 8 * 1024 * 1024

/**
 * Yields the lines of a body as they arrive, several at a time. Chunks may end inside a line or a character. A last
 * line without a line break is dropped. A silence of more than `idleTimeoutMs` ends the reading.
 */
export async function* readLines(
  body: ReadableStream<Uint8Array>,
  idleTimeoutMs: number,
): AsyncGenerator<string[]> {
  const reader = body.getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const idleTimer = startIdleTimer(idleTimeoutMs, () => reader.cancel().catch(() => {}))
  let partial = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      idleTimer.reset()
      const text = partial + decoder.decode(value, { stream: true })
      const end = text.lastIndexOf('\n')
      partial = end < 0 ? text : text.slice(end + 1)
      if (partial.length > maxLineLength)
        throw new Error(`line longer than ${maxLineLength} characters`)
      if (end >= 0) yield text.slice(0, end).split('\n')
    }
  } finally {
    idleTimer.stop()
    await reader.cancel().catch(() => {})
  }
}

/** Calls `onIdle` after `idleTimeoutMs` without `reset`. One timer is enough: it restarts for the time that is left. */
function startIdleTimer(idleTimeoutMs: number, onIdle: () => void) {
  let last = performance.now()
  const check = () => {
    const left = last + idleTimeoutMs - performance.now()
    if (left <= 0) onIdle()
    else timer = setTimeout(check, left)
  }
  let timer = setTimeout(check, idleTimeoutMs)
  return {
    reset() {
      last = performance.now()
    },
    stop: () => clearTimeout(timer),
  }
}
